#include "runtime_wrappers/api/host_waits.h"

#include <cstdint>
#include <ctime>

#include "runtime_wrappers/api/active.h"
#include "runtime_wrappers/virtual_gpu/runtime/gpu.h"

namespace cudash::api {

void host_waits(double nanoseconds) {
    if (const Active* runtime = active(); runtime && runtime->virtual_gpu)
        runtime->virtual_gpu->host_waits(nanoseconds);
}

void host_reads_clock() {
    constexpr unsigned many_reads = 32;
    constexpr std::int64_t short_gap = 20'000, unit = 100'000;  // nanoseconds
    struct Spin {
        std::uint64_t calls = 0;
        std::int64_t last = 0, counted = 0;
        unsigned reads = 0;
    };
    thread_local Spin spin;
    const Active* runtime = active();
    if (!runtime || !runtime->virtual_gpu) return;
    timespec time{};
    clock_gettime(CLOCK_MONOTONIC, &time);
    const std::int64_t now = time.tv_sec * std::int64_t{1'000'000'000} + time.tv_nsec;
    const std::uint64_t calls = runtime->virtual_gpu->calls();
    if (calls != spin.calls || (spin.reads < many_reads && now - spin.last > short_gap))
        spin = {.calls = calls, .last = now, .counted = now, .reads = 0};
    spin.last = now;
    if (spin.reads < many_reads) ++spin.reads;
    if (spin.reads < many_reads || now - spin.counted < unit) return;
    const std::int64_t passed = (now - spin.counted) / unit * unit;
    spin.counted += passed;
    runtime->virtual_gpu->host_waits(static_cast<double>(passed));
}

bool work_goes_on() {
    const Active* runtime = active();
    return runtime && runtime->virtual_gpu && runtime->virtual_gpu->goes_on();
}

}  // namespace cudash::api
