// Queued work goes on by itself, as on a real device, where the program waits without asking the runtime. What starts
// it is what the program does, so that results are the same on any machine and under any load:
//   - a thread sleeps, yields or waits for a time: Scheduler::host_waits() is called before it does;
//   - every thread of the program waits for another without a limit. Nothing but the queued work can end that, so that
//     it does not matter when it is seen.
// One case is left to time. A thread that spins on a flag makes no call, and looks like one that computes. After so
// much processor time without a call the work runs as well. That moves no clock of the program's, and what host code
// touched before is judged as ever, unless the same instruction still reads the same byte of guarded memory. What
// remains: a program that computes for so long and then uses memory of work that it never waited for sees the work
// done, and isn't told of that race.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

namespace cudash::virtual_gpu::runtime {

class Scheduler;

/// Why work runs that no call waits for.
enum class Cause : std::uint8_t { call, host_waits, host_computes, kernel_waits };

/// What the threads of the program do beside the one that asks.
enum class OtherThreads : std::uint8_t {
    none,  ///< there are none
    wait,  ///< each waits for another without a limit
    act,
};

class BackgroundWork {
public:
    explicit BackgroundWork(Scheduler& scheduler);
    ~BackgroundWork();
    BackgroundWork(const BackgroundWork&) = delete;
    BackgroundWork& operator=(const BackgroundWork&) = delete;

    /// Has the work run in another thread, and returns when it has or when a host function has begun: that may wait for
    /// the caller.
    void go_on();
    /// Whether work that go_on() asked for still runs.
    bool goes_on();
    OtherThreads other_threads() const;

private:
    void watch();

    Scheduler& scheduler_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::uint64_t asked_ = 0, served_ = 0;
    bool stopping_ = false;
    std::thread thread_;
};

}  // namespace cudash::virtual_gpu::runtime
