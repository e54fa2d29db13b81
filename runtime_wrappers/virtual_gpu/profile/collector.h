// The observer behind --profile: counts instructions and accesses to memory. Each host thread has a share of its own,
// and shares are added up at the end, so that the result does not depend on how many there were.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "runtime_wrappers/virtual_gpu/profile/launch_profile.h"

namespace cudash::virtual_gpu {

class Collector final : public Observer {
public:
    Collector();
    ~Collector() override;

    /// Of the last launch that ended; nullopt: none did since it was taken.
    std::optional<LaunchProfile> take();

    /// What the next launch does not say of itself.
    void set_context(const LaunchContext& context) { context_ = context; }
    CacheModel& caches() { return caches_; }
    /// Nobody asks for more than the next launches' times: accesses are priced by the device's own rules alone. Of a
    /// long launch, the blocks at its begin are counted and stand for the others, by how many instructions all of them
    /// execute.
    void set_time_only(bool only) { time_only_ = only; }

    /// A launch whose counts follow from what `key` says, and not from data: what the next one comes to is kept, if it
    /// ends well. Where it is known, it need not be observed.
    void keep_as(std::string key) { key_ = std::move(key); }
    bool knows(const std::string& key) const { return kept_.contains(key); }
    void forget(const std::string& key) { kept_.erase(key); }
    /// It was launched again: its time, with what caches hold now. nullopt: it is not known any more.
    std::optional<KernelTime> time_again(const std::string& key);

    Observer* for_worker(std::size_t index) override;
    void launch_begins(const Launch& launch) override;
    std::vector<Diagnostic> launch_ends() override;

    // Of blocks only its shares are told.
    bool wants_block(std::uint64_t) override { return !planned_; }
    void block_begins(std::uint64_t, std::uint32_t, std::uint32_t) override {}
    void block_ends(std::uint64_t, bool) override {}
    void access(const AccessRecord&) override {}
    void arrives(const PlaceRecord&, unsigned, bool) override {}
    void barrier_completes(std::uint64_t, unsigned) override {}
    void all_pass_barrier(std::uint64_t) override {}
    void collective(const CollectiveRecord&) override {}
    void shuffle_from_outside(const ShuffleRecord&) override {}
    void fence(const PlaceRecord&) override {}
    void async_copy(const PlaceRecord&, AsyncCopy, std::uint64_t) override {}

private:
    class Share;
    using Traces = std::vector<const LineTrace*>;
    /// What the counted blocks asked of L2.
    struct Asked {
        Traces first;          ///< of a launch that was counted in part: its first blocks, which fill the caches
        Traces others;         ///< all others that were counted
        double stand_for = 1;  ///< how many times what `others` did was done behind the first blocks
        std::uint64_t l1_bytes = 0;
    };
    /// A launch that was counted, and what belongs to Asked.
    struct Kept {
        LaunchProfile launch;
        std::vector<LineTrace> first, others;
        double stand_for = 1;
        std::uint64_t l1_bytes = 0;
    };
    static constexpr std::size_t most_kept = 64;
    /// Of a launch that may be counted in part: blocks that fill the caches, those that it has at least, and how many
    /// instructions of warps are enough.
    static constexpr std::uint64_t first_blocks = 8, least_counted_in_part = 128, enough_instructions = 1 << 24;

    /// Blocks before that one are counted.
    void plan(std::uint64_t until);
    void follow_caches(LaunchProfile& launch, const Asked& asked);
    /// Of a multiprocessor's L1 cache, for global memory.
    std::uint64_t l1_bytes() const;

    std::mutex mutex_;
    const Launch* launch_ = nullptr;
    LaunchContext context_;
    Occupancy occupancy_;
    OnChipSplit on_chip_;
    CacheModel caches_;
    std::vector<std::unique_ptr<Share>> shares_;
    std::optional<LaunchProfile> last_;
    bool time_only_ = false;
    std::atomic<bool> planned_{true};     ///< how many blocks are counted is decided
    std::optional<std::uint64_t> until_;  ///< then: blocks before that one; nullopt: all
    std::string key_;                     ///< of the launch that is observed; empty: it is not kept
    std::map<std::string, Kept> kept_;
};

}  // namespace cudash::virtual_gpu
