#include "runtime_wrappers/virtual_gpu/profile/launch_time.h"

#include <algorithm>

#include "runtime_wrappers/virtual_gpu/profile/instruction_mix.h"

namespace cudash::virtual_gpu {

namespace {

std::uint64_t count(const Dim3& d) {
    return std::uint64_t{d.x} * d.y * d.z;
}

}  // namespace

KernelWork work_of(const LaunchProfile& launch, const Profile& device) {
    const Timing& timing = timing_of(device);
    KernelWork work;
    work.counted = true;
    work.blocks = count(launch.grid);
    work.warps_per_block = static_cast<unsigned>((count(launch.block) + 31) / 32);
    BlockResources resources{.threads = static_cast<unsigned>(count(launch.block)),
                             .registers_per_thread = launch.context.registers};
    resources.static_shared = launch.shared_bytes;
    work.blocks_per_multiprocessor = occupancy(device, resources).blocks;
    const double warps = static_cast<double>(work.blocks) * work.warps_per_block;

    Counters sum;
    for (const auto& each : launch.accesses) sum.add(each, device, launch.context.chosen);
    std::uint64_t asked = 0;
    for (std::size_t kind = 0; kind < 3; ++kind) {
        asked += sum.global[kind].sectors;
        work.shared_wavefronts += static_cast<double>(sum.shared[kind].wavefronts);
    }
    work.l1_sectors = static_cast<double>(asked);

    // Shares of hits are those of the device that it ran on; a device without the cache has none.
    const CacheCounts& caches = launch.caches;
    const auto share = [](std::uint64_t part, std::uint64_t whole) {
        return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
    };
    const double l1_hits = device.cc_major >= 5 || device.cc_major == 2 ? share(caches.l1_hits, caches.l1_sectors) : 0;
    const double l2_hits = device.l2_size ? share(caches.l2_hits, caches.l2_sectors()) : 0;
    const std::uint64_t loads = sum.global[static_cast<std::size_t>(AccessKind::load)].sectors;
    work.l2_sectors = static_cast<double>(loads) * (1 - l1_hits) + static_cast<double>(asked - loads);
    work.l1_lines = static_cast<double>(caches.lines);
    work.partial_writes = static_cast<double>(caches.partial_writes);
    work.atomics = share(caches.l2_atomics, caches.sectors_of_atomics);
    const double dram_per_l2 = share(caches.dram_reads + caches.dram_writes, caches.l2_sectors());
    work.dram_sectors = work.l2_sectors * (device.l2_size ? dram_per_l2 : 1.0);
    const double latency = l1_hits * timing.latency_l1 +
                           (1 - l1_hits) * (l2_hits * timing.latency_l2 + (1 - l2_hits) * timing.latency_dram);
    add_instruction_mix(work, launch, timing, latency, warps);
    return work;
}

}  // namespace cudash::virtual_gpu
