#include "runtime_wrappers/api/host_waits.h"

#include <cstdint>
#include <ctime>

#include "runtime_wrappers/api/active.h"

namespace cudash::api {

namespace {

/// A thread that reads clocks in a loop.
struct Spin {
    std::uint64_t calls = 0;
    std::int64_t counted = 0, worked = 0;  // nanoseconds; worked: the thread's processor time
    unsigned reads = 0, long_gaps = 0;
};
thread_local Spin spin;

std::int64_t nanoseconds_of(clockid_t clock) {
    timespec time{};
    clock_gettime(clock, &time);
    return time.tv_sec * std::int64_t{1'000'000'000} + time.tv_nsec;
}

}  // namespace

void host_waits(double nanoseconds) {
    spin = {};
    if (const Active* runtime = active()) runtime->backend->host_waits(nanoseconds);
}

// A loop is told by how little the thread does between two reads, whatever else the computer does meanwhile. It may
// take the thread's processor away and count that as the thread's own time: a few gaps may be long, but not the first,
// where a program computes that reads the clock before and after.
void host_reads_clock() {
    constexpr unsigned many_reads = 32, few_gaps = 2;
    constexpr std::int64_t little_work = 20'000, unit = 100'000;  // nanoseconds
    const Active* runtime = active();
    if (!runtime || !runtime->backend->is_virtual()) return;
    const std::int64_t now = nanoseconds_of(CLOCK_MONOTONIC);
    const std::uint64_t calls = runtime->backend->calls();
    if (calls != spin.calls || spin.reads == 0) spin = {.calls = calls, .counted = now};
    if (spin.reads < many_reads) {
        const std::int64_t worked = nanoseconds_of(CLOCK_THREAD_CPUTIME_ID);
        const bool is_long = spin.reads > 0 && worked - spin.worked > little_work;
        if (is_long && (spin.reads == 1 || ++spin.long_gaps > few_gaps)) spin = {.calls = calls, .counted = now};
        spin.worked = worked;
        ++spin.reads;
        return;
    }
    if (now - spin.counted < unit) return;
    const std::int64_t passed = (now - spin.counted) / unit * unit;
    spin.counted += passed;
    runtime->backend->host_waits(static_cast<double>(passed));
}

bool work_goes_on() {
    const Active* runtime = active();
    return runtime && runtime->backend->work_goes_on();
}

}  // namespace cudash::api
