#include "runtime_wrappers/virtual_gpu/model/time.h"

#include <algorithm>

namespace cudash::virtual_gpu {
namespace {

constexpr double launch_latency = 2500;
constexpr double copy_latency = 1500;
constexpr double block_start = 300;

/// Bytes per nanosecond of device memory: two transfers per clock.
double memory_bandwidth(const Profile& profile) {
    return 2.0 * profile.memory_clock_khz * 1e3 * profile.memory_bus_bits / 8 / 1e9;
}

/// Bytes per nanosecond between host and device: PCI Express 5, 4, 3 and 2 x16 as each generation had it, less
/// overhead.
double bus_bandwidth(const Profile& profile) {
    if (profile.cc_major >= 9) return 55;
    if (profile.cc_major >= 8) return 25;
    return profile.cc_major >= 3 ? 12 : 6;
}

}  // namespace

double copy_time(const Profile& profile, Link link, std::uint64_t bytes) {
    const double size = static_cast<double>(bytes);
    switch (link) {
        case Link::pageable:
            return 2 * copy_latency + size / std::min(0.5 * bus_bandwidth(profile), 12.0);
        case Link::pinned:
            return copy_latency + size / bus_bandwidth(profile);
        case Link::device:
            return copy_latency + 2 * size / (0.9 * memory_bandwidth(profile));
        case Link::fill:
            return copy_latency + size / (0.9 * memory_bandwidth(profile));
    }
    return 0;
}

double kernel_time(const Profile& profile, const KernelWork& work) {
    if (work.blocks == 0) return launch_latency;
    const double resident = static_cast<double>(profile.multiprocessors) * std::max(1u, work.blocks_per_multiprocessor);
    const double waves = (static_cast<double>(work.blocks) + resident - 1) / resident;
    // Four schedulers per multiprocessor since compute capability 3.0, two on 2.x, one on 1.x; each starts about one
    // warp instruction every other clock once latency is hidden.
    const double schedulers = profile.cc_major >= 3 ? 4 : profile.cc_major;
    const double busy = std::min<double>(static_cast<double>(work.blocks), profile.multiprocessors);
    const double per_nanosecond = 0.5 * schedulers * busy * profile.core_clock_khz / 1e6;
    return launch_latency + block_start * static_cast<std::uint64_t>(waves) +
           static_cast<double>(work.warp_instructions) / per_nanosecond;
}

}  // namespace cudash::virtual_gpu
