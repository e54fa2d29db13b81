// Spreads the blocks of a launch over host threads, or runs them in a fixed order where their order could show.
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>

#include "runtime_wrappers/virtual_gpu/exec/block.h"

namespace cudash::virtual_gpu {

struct SavedTurns;

class Grid {
public:
    Grid() = default;
    ~Grid();
    Grid(const Grid&) = delete;
    Grid& operator=(const Grid&) = delete;

    void run(const Launch& launch, bool cooperative, const ExecutorLimits& limits, const DeviceOutput& output,
             LaunchOutcome& outcome);

private:
    struct Progress;
    /// From block `first` on, or from `state`.
    void run_in_order(Worker& worker, bool cooperative, Progress& progress, std::uint64_t first,
                      const SavedTurns* state);
    /// A block that begins while no other one runs, in code without stops (exec/stops.h). False: the launch goes back.
    bool run_unstopped(Worker& worker, const Program& program, std::uint64_t number, Progress& progress);
    /// What its workers have executed and used; they are free then.
    void collect_counts(const Launch& launch, LaunchOutcome& outcome);
    /// A compiled block has faulted whose warps the interpreter runs in lockstep: another warp may be the first to
    /// fault there. It runs again, for the report alone: nobody can read memory behind a fault.
    static void report_as_in_lockstep(Worker& worker, std::unique_ptr<Block>& block,
                                      const std::atomic<bool>& cancelled);
    static Diagnostic why_stopped(const Launch& launch, const ExecutorLimits& limits, Progress& progress);
    /// Each block had its turn, or has it next. False: nobody can go on.
    bool ends_round(Turns& turns, Progress& progress);
    /// The blocks of a cluster in turns, one cluster after the other.
    void run_clusters(Worker& worker, Progress& progress, std::uint64_t first_cluster);
    /// `half`: of a launch with two observers; 0 for the blocks of any other. Blocks that wait for what is not of their
    /// own are put aside.
    void run_claimed(Worker& worker, Progress& progress, std::size_t half);
    /// An observer that will have seen enough long before half of the launch: other threads begin with the second half.
    void split(Worker& worker, Progress& progress, std::uint64_t next);
    void run_parallel(const Launch& launch, unsigned threads, Progress& progress);
    /// Goes on with the blocks that were put aside, until they are done or nobody is left who could let them go on.
    void run_parked(Progress& progress);
    void helper(std::size_t index);
    void start_helpers(std::size_t count);

    std::vector<std::unique_ptr<Worker>> workers_;  ///< [0] is the launching thread's
    // Of code without stops: the launch with its program, and who runs that.
    std::unique_ptr<Launch> unstopped_launch_;
    std::uint64_t unstopped_serial_ = 0;  ///< of its program
    std::unique_ptr<Worker> unstopped_;
    std::vector<std::thread> helpers_;
    std::mutex mutex_;
    std::condition_variable wake_, idle_;
    Progress* shared_ = nullptr;
    const Launch* launch_ = nullptr;
    std::uint64_t round_ = 0;
    std::size_t wanted_ = 0, busy_ = 0, threads_ = 1;
    bool stopping_ = false;
};

}  // namespace cudash::virtual_gpu
