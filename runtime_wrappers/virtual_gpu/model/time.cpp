#include "runtime_wrappers/virtual_gpu/model/time.h"

#include <algorithm>
#include <cmath>

#include "runtime_wrappers/virtual_gpu/devices/timing.h"

namespace cudash::virtual_gpu {
namespace {

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

std::string_view name_of(TimeBound bound) {
    constexpr std::array<std::string_view, time_bounds> names = {"the launch itself",
                                                                 "starting blocks",
                                                                 "instruction issue",
                                                                 "arithmetic",
                                                                 "special functions",
                                                                 "shared memory",
                                                                 "L1 cache",
                                                                 "L2 cache",
                                                                 "device memory",
                                                                 "atomics",
                                                                 "latency"};
    return names[static_cast<std::size_t>(bound)];
}

namespace {

/// Without counts: about one warp instruction every other clock and scheduler, once latency is hidden.
double coarse_time(const Profile& profile, const KernelWork& work) {
    const double resident = static_cast<double>(profile.multiprocessors) * std::max(1u, work.blocks_per_multiprocessor);
    const double waves = (static_cast<double>(work.blocks) + resident - 1) / resident;
    const double busy = std::min<double>(static_cast<double>(work.blocks), profile.multiprocessors);
    const double per_nanosecond = 0.5 * timing_of(profile).schedulers * busy * profile.core_clock_khz / 1e6;
    return block_start * static_cast<double>(static_cast<std::uint64_t>(waves)) +
           static_cast<double>(work.warp_instructions) / per_nanosecond;
}

}  // namespace

KernelTime modelled_time(const Profile& profile, const KernelWork& work) {
    KernelTime time;
    const Timing& speed = timing_of(profile);
    if (work.blocks == 0 || !work.counted) {
        const double coarse = work.blocks == 0 ? 0.0 : coarse_time(profile, work);
        time.parts[static_cast<std::size_t>(TimeBound::launch)] = speed.launch;
        time.parts[static_cast<std::size_t>(TimeBound::issue)] = coarse;
        time.nanoseconds = speed.launch + coarse;
        time.bound = coarse > speed.launch ? TimeBound::issue : TimeBound::launch;
        return time;
    }
    const double per_nanosecond = profile.core_clock_khz / 1e6;
    const double multiprocessors = profile.multiprocessors;
    const double blocks = static_cast<double>(work.blocks);
    // Blocks are handed out one by one: the multiprocessor that has most of them decides.
    const double most = std::ceil(blocks / multiprocessors) / blocks;
    const auto on_multiprocessor = [&](double work_of_all, double rate) {
        return work_of_all * most / rate / per_nanosecond;
    };
    const auto part = [&](TimeBound bound) -> double& { return time.parts[static_cast<std::size_t>(bound)]; };
    part(TimeBound::launch) = speed.launch;
    part(TimeBound::blocks) = on_multiprocessor(blocks * speed.block_issue, 1);
    part(TimeBound::issue) = on_multiprocessor(work.issued, speed.schedulers);
    part(TimeBound::arithmetic) =
        on_multiprocessor(std::max({32 * work.single / speed.lanes_single, 32 * work.integer / speed.lanes_integer,
                                    32 * work.doubles / speed.lanes_double, 32 * work.tensor / speed.lanes_tensor}),
                          1);
    part(TimeBound::special) = on_multiprocessor(32 * work.special, speed.lanes_special);
    part(TimeBound::shared) = on_multiprocessor(work.shared_wavefronts, speed.shared_wavefronts);
    part(TimeBound::l1) =
        on_multiprocessor(std::max({work.l1_sectors / speed.l1_sectors, work.l1_lines / speed.l1_lines,
                                    32 * work.memory / speed.lanes_memory}),
                          1);
    part(TimeBound::l2) =
        32 * (work.l2_sectors - work.partial_writes) / speed.l2_bytes + 32 * work.partial_writes / speed.l2_partial;
    part(TimeBound::dram) = 32 * work.dram_sectors / (speed.dram_share * memory_bandwidth(profile));
    part(TimeBound::atomics) = work.atomics * speed.atomic_again;
    // Each place for a block is used again and again; the last round is not full.
    const double places = multiprocessors * std::max(1u, work.blocks_per_multiprocessor);
    const double rounds = blocks <= places ? 1.0 : blocks / places + 0.5 * (1 - 1 / std::ceil(blocks / places));
    part(TimeBound::latency) = rounds * (work.warp_cycles + speed.block_start) / per_nanosecond;

    // What is busy at the same time hides each other, but not wholly.
    constexpr double sharpness = 4;
    double sum = 0;
    for (std::size_t i = 1; i < time_bounds; ++i) sum += std::pow(time.parts[i], sharpness);
    const double working = std::pow(sum, 1 / sharpness);
    time.nanoseconds = speed.launch + working;
    const auto longest = std::ranges::max_element(time.parts);
    time.bound = static_cast<TimeBound>(longest - time.parts.begin());
    return time;
}

}  // namespace cudash::virtual_gpu
