// What `:profile` and --profile keep: the last launch in full, and sums over launches of the same kernel with the same
// configuration.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "runtime_wrappers/virtual_gpu/profile/collector.h"

namespace cudash::virtual_gpu {

class Profiler {
public:
    /// Launches of one kernel with one configuration, added up.
    struct Entry {
        LaunchProfile sum;
        std::uint64_t launches = 0;
        LaunchProfile last;        ///< of them
        std::uint64_t number = 0;  ///< of `last`, among all launches
    };

    bool on = false;  ///< launches are kept; otherwise what is observed gives their times alone
    Collector& observer() { return collector_; }
    /// A launch that was observed has ended. Its modelled time, if it was.
    std::optional<KernelTime> launch_ended();
    void clear();

    /// In the order of their first launch.
    const std::deque<Entry>& entries() const { return entries_; }
    const std::optional<LaunchProfile>& last() const { return last_; }
    /// The latest, oldest first, without what their instructions did.
    struct Past {
        std::string kernel;
        CacheContents l2;
        CacheCounts caches;
        KernelTime time;
    };
    const std::deque<Past>& history() const { return history_; }
    /// What streams did, in the order in which it was done. Nanoseconds of the modelled clock.
    struct Work {
        std::string stream, what;
        double begin = 0, end = 0;
    };
    void add_work(Work work);
    /// Of the operation that runs now; empty: nothing to show.
    std::string running;

    /// Every launch, in its order, with what was counted of it.
    struct Logged {
        std::string kernel;
        Dim3 grid, block;
        unsigned registers = 0;
        Counters counters;
        KernelTime time;
    };
    const std::deque<Logged>& log() const { return log_; }
    std::uint64_t log_left_out() const { return log_left_out_; }

    const std::deque<Work>& works() const { return works_; }
    std::uint64_t works_left_out() const { return works_left_out_; }
    /// The last launch of the kernel that its author calls `kernel`; of a template, "k" stands for any "k<...>".
    /// nullptr: there was none among the entries.
    const LaunchProfile* last_of(std::string_view kernel) const;
    /// Launches that are in no entry, because there were too many different ones.
    std::uint64_t left_out() const { return left_out_; }

private:
    static constexpr std::size_t most_entries = 200, most_history = 64, most_works = 2000, most_log = 20000;

    Collector collector_;
    std::deque<Entry> entries_;
    std::optional<LaunchProfile> last_;
    std::deque<Past> history_;
    std::deque<Work> works_;
    std::uint64_t works_left_out_ = 0;
    std::deque<Logged> log_;
    std::uint64_t log_left_out_ = 0;
    std::uint64_t left_out_ = 0, launches_ = 0;
};

}  // namespace cudash::virtual_gpu
