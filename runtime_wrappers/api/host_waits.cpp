#include "runtime_wrappers/api/host_waits.h"

#include <cstdint>
#include <ctime>

#include "runtime_wrappers/api/active.h"
#include "runtime_wrappers/api/host_spin.h"

namespace cudash::api {

namespace {

thread_local HostSpin spin;

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

void host_reads_clock(const void* caller) {
    const Active* runtime = active();
    if (!runtime || !runtime->backend->is_virtual()) return;
    ClockRead read{.caller = caller, .calls = runtime->backend->calls(), .now = nanoseconds_of(CLOCK_MONOTONIC)};
    if (!spin.goes_on(read.calls)) read.worked = nanoseconds_of(CLOCK_THREAD_CPUTIME_ID);
    if (const std::int64_t waited = spin.read(read)) runtime->backend->host_waits(static_cast<double>(waited));
}

bool work_goes_on() {
    const Active* runtime = active();
    return runtime && runtime->backend->work_goes_on();
}

}  // namespace cudash::api
