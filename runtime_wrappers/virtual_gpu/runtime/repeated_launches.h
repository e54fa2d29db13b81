// What is known of launches that were run a second time on the same memory, so that those after them need not run
// (exec/repeats.h). The first time, caches are cold.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "runtime_wrappers/virtual_gpu/check/uses.h"

namespace cudash::virtual_gpu::runtime {

class RepeatedLaunches {
public:
    struct Known {
        std::optional<double> nanoseconds;  ///< on the modelled clock, if it was timed
        std::optional<Uses> uses;           ///< of memory, if they were gathered
    };
    /// Of the launch with that LaunchOutcome::grid_id; nothing is known of a first one.
    Known find(std::uint64_t grid_id) const {
        const auto found = launches_.find(grid_id);
        return found == launches_.end() ? Known{} : found->second;
    }
    /// A launch was run again.
    void replace(std::uint64_t earlier, std::uint64_t later, Known known) {
        launches_.erase(earlier);
        if (launches_.size() >= most) launches_.clear();
        launches_.emplace(later, std::move(known));
    }

private:
    static constexpr std::size_t most = 256;
    std::map<std::uint64_t, Known> launches_;
};

/// What the environment says: with CUDASH_REPEATS=run, launches that would change nothing are run.
bool skips_repeats();

}  // namespace cudash::virtual_gpu::runtime
