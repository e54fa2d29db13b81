// What `:profile` and --profile keep: the last launch in full, and sums over launches of the same kernel with the same
// configuration.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>

#include "runtime_wrappers/virtual_gpu/profile/collector.h"

namespace cudash::virtual_gpu {

class Profiler {
public:
    /// Launches of one kernel with one configuration, added up.
    struct Entry {
        LaunchProfile sum;
        std::uint64_t launches = 0;
    };

    bool on = false;

    Observer& observer() { return collector_; }
    /// A launch that was observed has ended.
    void launch_ended();
    void clear();

    /// In the order of their first launch.
    const std::deque<Entry>& entries() const { return entries_; }
    const std::optional<LaunchProfile>& last() const { return last_; }
    /// Launches that are in no entry, because there were too many different ones.
    std::uint64_t left_out() const { return left_out_; }

private:
    static constexpr std::size_t most_entries = 200;

    Collector collector_;
    std::deque<Entry> entries_;
    std::optional<LaunchProfile> last_;
    std::uint64_t left_out_ = 0;
};

}  // namespace cudash::virtual_gpu
