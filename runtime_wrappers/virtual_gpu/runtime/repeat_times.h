// What launches took on the modelled clock that were run a second time on the same memory, so that those after them
// need not run (exec/repeats.h). The first time, caches are cold.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

namespace cudash::virtual_gpu::runtime {

class RepeatTimes {
public:
    /// Nanoseconds of the launch with that LaunchOutcome::grid_id; nothing if it was the first, or was not timed.
    std::optional<double> find(std::uint64_t grid_id) const {
        const auto found = times_.find(grid_id);
        return found == times_.end() ? std::nullopt : std::optional(found->second);
    }
    /// A launch was run again, and timed.
    void replace(std::uint64_t earlier, std::uint64_t later, double nanoseconds) {
        times_.erase(earlier);
        if (times_.size() >= most) times_.clear();
        times_.emplace(later, nanoseconds);
    }

private:
    static constexpr std::size_t most = 1024;
    std::map<std::uint64_t, double> times_;
};

/// What the environment says: with CUDASH_REPEATS=run, launches that would change nothing are run.
bool skips_repeats();

}  // namespace cudash::virtual_gpu::runtime
