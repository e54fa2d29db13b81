// A thread of the program that reads clocks in a loop until a time has come: it waits.
#pragma once

#include <cstdint>

namespace cudash::api {

/// One read of a clock by the program.
struct ClockRead {
    const void* caller = nullptr;  // where in the program
    std::uint64_t calls = 0;       // of the runtime, so far
    std::int64_t now = 0;          // nanoseconds of the wall clock
    std::int64_t worked = 0;       // nanoseconds of the thread's processor time
};

/// Tells a loop by how little the thread does between two reads, whatever else the computer does meanwhile.
///
/// The computer may take the processor away and count that as the thread's own time, so a few gaps may be long. What a
/// program computes between two reads of its own, before the loop begins, does not belong to it: there the read after
/// the long gap is none of the loop's, and the next one comes from another place. A function of the program's that
/// reads the clock makes one place of all: there the loop begins behind the long gap.
class HostSpin {
public:
    /// Nanoseconds that the thread has waited and that nobody has counted so far: a multiple of 100,000, and 0 until
    /// it is clear that this is a loop.
    std::int64_t read(const ClockRead& read);
    /// Whether this is clear already, after so many calls of the runtime: then nobody asks for a read's `worked`.
    bool goes_on(std::uint64_t calls) const { return is_known_ && last_.calls == calls; }

private:
    static constexpr std::int64_t unit = 100'000;  // nanoseconds

    bool belongs(const ClockRead& read);
    bool is_loop(const ClockRead& read) const;

    ClockRead last_;
    std::int64_t counted_ = 0;  // the time up to which all is counted
    unsigned reads_ = 0, long_gaps_ = 0;
    bool after_long_gap_ = false, is_known_ = false;
};

}  // namespace cudash::api
