// What a process uses of the machine, read off the kernel while it runs.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>

namespace cudash::worker {

struct ProcessState {
    std::uint64_t resident = 0;  ///< bytes of memory, with what is swapped out and the page tables
    std::uint64_t threads = 0;
};
/// "proc_pid_status(5)"; zeros for a process that is gone.
ProcessState state_of(pid_t process);

/// The time that a process has taken since a moment: what its threads ran, and what they slept. Time in which it waited
/// for a processor of a busy machine is neither.
class ProcessUsage {
public:
    using Clock = std::chrono::steady_clock;

    ProcessUsage() = default;
    ProcessUsage(pid_t process, Clock::time_point now, Clock::duration interval);

    /// Called again and again; `interval` is how often. Of a look that comes late no more than two intervals count.
    void look(Clock::time_point now);
    /// Takes in the processor time alone.
    void count();

    std::chrono::nanoseconds processor() const { return processor_; }  ///< time that its threads ran, together
    std::chrono::nanoseconds asleep() const { return asleep_; }        ///< time in which none of them could have run
    std::chrono::nanoseconds spent() const { return processor_ + asleep_; }
    Clock::time_point looked() const { return looked_; }

private:
    pid_t process_ = -1;
    Clock::duration interval_{0};
    std::chrono::nanoseconds processor_{0}, asleep_{0};
    std::chrono::nanoseconds begun_{0};    ///< processor time at the beginning
    std::chrono::nanoseconds counted_{0};  ///< processor time at the last look
    Clock::time_point looked_;             ///< when that was
};

}  // namespace cudash::worker
