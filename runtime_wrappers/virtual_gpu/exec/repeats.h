// Launches that need not run. Programs that time a kernel launch it again and again on the same input: what such a
// launch would store is in memory already, or is little and known.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "runtime_wrappers/virtual_gpu/exec/executor.h"

namespace cudash::virtual_gpu {

/// Knows launches by everything that distinguishes them. A launch of which one is known need not run if
/// - it used device memory, which host code can't store to, or host memory that is quick to hash beside running it;
/// - what it read, and did not write, is as it was then, by allocations;
/// - what it wrote is as it left it, and it read nothing of that; or it is little, and as it was before. Then the
/// launch
///   did the same two times, and what it left is stored;
/// - its kernel has no other effects, and no other input (Program::has_other_effects);
/// - it ended well, without a finding.
class Repeats {
public:
    explicit Repeats(AddressSpace& memory) : memory_(memory) {}

    using IsEnough = std::function<bool(const LaunchOutcome&)>;
    /// What the launch would come to, with memory as it would leave it; `used` is what was stored to for that.
    /// `is_enough` is asked before memory changes. Nothing: it must run.
    std::optional<LaunchOutcome> repeat(const LaunchRequest& request, const ExecutorLimits& limits,
                                        const IsEnough& is_enough);
    /// A launch that must run begins, and has ended.
    void launch_begins(const LaunchRequest& request, const ExecutorLimits& limits);
    void launch_ended(const LaunchRequest& request, const ExecutorLimits& limits, const LaunchOutcome& outcome);

private:
    struct Part {
        Address begin = 0;
        std::uint64_t bytes = 0;
        bool read = false, written = false, on_host = false;
        std::uint64_t state = 0;                   ///< AddressSpace::state_of; of host memory a hash of its contents
        std::vector<std::byte> before{}, after{};  ///< of memory that was written and is little
    };
    struct Known {
        std::shared_ptr<const LoadedModule> module;
        std::vector<Part> parts;
        std::uint64_t host_bytes = 0, written_bytes = 0;
        bool compared = false;   ///< host memory is hashed, contents are stored: from the second launch on
        bool reads_own = false;  ///< what it writes
        unsigned misses = 0;     ///< how often contents were looked at in vain
        LaunchOutcome outcome;
        bool is_little() const;
        bool looks_at_contents() const { return host_bytes != 0 || reads_own; }
    };
    using All = std::map<std::string, Known, std::less<>>;

    All::iterator find(const LaunchRequest& request, const ExecutorLimits& limits);
    std::byte* bytes_of(const Part& part) const;
    bool is_as_left(const Part& part) const;
    bool is_as_before(const Part& part) const;
    bool note_parts(Known& known) const;

    AddressSpace& memory_;
    All known_;
    std::vector<std::vector<std::byte>> before_;  ///< of the launch that runs: by part of the known one
};

}  // namespace cudash::virtual_gpu
