#include "runtime_wrappers/virtual_gpu/model/occupancy.h"

#include <algorithm>
#include <array>
#include <limits>

namespace cudash::virtual_gpu {
namespace {

constexpr unsigned warp_size = 32;
constexpr unsigned unlimited = std::numeric_limits<unsigned>::max();

constexpr std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) {
    return (value + unit - 1) / unit * unit;
}

/// How a generation hands out registers and shared memory (Programming Guide 4 and later, cuda_occupancy.h).
struct Granularity {
    unsigned cc;             ///< first compute capability, 10 * major + minor
    unsigned register_unit;  ///< per warp; per block on 1.x
    unsigned shared_unit;
    unsigned sub_partitions;  ///< of the register file
};
constexpr std::array granularities = {
    Granularity{10, 256, 512, 1}, Granularity{12, 512, 512, 1}, Granularity{20, 64, 128, 2},
    Granularity{30, 256, 256, 4}, Granularity{60, 256, 256, 2}, Granularity{61, 256, 256, 4},
    Granularity{80, 256, 128, 4},
};

const Granularity& granularity(const Profile& profile) {
    const unsigned cc = profile.cc_major * 10 + profile.cc_minor;
    const Granularity* found = &granularities.front();
    for (const Granularity& candidate : granularities)
        if (candidate.cc <= cc) found = &candidate;
    return *found;
}

unsigned warps_of(unsigned threads) {
    return (threads + warp_size - 1) / warp_size;
}

unsigned registers_per_warp(const Profile& profile, unsigned registers_per_thread) {
    unsigned unit = granularity(profile).register_unit;
    // "128 when the number of registers per thread is 21, 22, 29, 30, 37, 38, 45 or 46" (cuda_occupancy.h of CUDA 7.0,
    // compute capability 2.x).
    if (profile.cc_major == 2 && registers_per_thread >= 21 && registers_per_thread <= 46) {
        const unsigned phase = registers_per_thread % 8;
        if (phase == 5 || phase == 6) unit = 128;
    }
    return static_cast<unsigned>(round_up(registers_per_thread * warp_size, unit));
}

unsigned blocks_by_registers(const Profile& profile, const BlockResources& block) {
    if (block.registers_per_thread > profile.max_registers_per_thread) return 0;
    if (block.registers_per_thread == 0) return unlimited;
    const unsigned taken = allocated_registers(profile, block.threads, block.registers_per_thread);
    if (taken > profile.registers_per_block) return 0;
    if (profile.cc_major < 2) return profile.registers_per_multiprocessor / taken;
    const unsigned parts = granularity(profile).sub_partitions;
    const unsigned per_warp = registers_per_warp(profile, block.registers_per_thread);
    const unsigned warps = profile.registers_per_multiprocessor / parts / per_warp * parts;
    return warps / warps_of(block.threads);
}

}  // namespace

std::string_view name_of(OccupancyLimit limit) {
    constexpr std::array<std::string_view, 5> names = {"threads", "blocks", "registers", "shared memory",
                                                       "the block's size"};
    return names[static_cast<std::size_t>(limit)];
}

unsigned allocated_registers(const Profile& profile, unsigned threads, unsigned registers_per_thread) {
    const unsigned warps = warps_of(threads);
    if (profile.cc_major < 2)  // per block, warps in pairs
        return static_cast<unsigned>(
            round_up(registers_per_thread * warp_size * round_up(warps, 2), granularity(profile).register_unit));
    const unsigned parts = granularity(profile).sub_partitions;
    return registers_per_warp(profile, registers_per_thread) * static_cast<unsigned>(round_up(warps, parts));
}

std::uint64_t allocated_shared(const Profile& profile, std::uint64_t bytes) {
    return round_up(bytes + profile.shared_reserved_per_block, granularity(profile).shared_unit);
}

std::uint64_t available_dynamic_shared(const Profile& profile, std::uint64_t capacity, unsigned blocks,
                                       std::uint64_t static_shared) {
    const std::uint64_t unit = granularity(profile).shared_unit;
    const std::uint64_t share = capacity / blocks / unit * unit;
    const std::uint64_t fixed = static_shared;
    return share > fixed ? share - fixed : 0;
}

Occupancy occupancy(const Profile& profile, const BlockResources& block) {
    Occupancy result;
    result.max_warps = profile.max_threads_per_multiprocessor / warp_size;
    if (block.threads == 0 || block.threads > profile.max_threads_per_block) return result;
    const unsigned warps = warps_of(block.threads);
    result.by_threads = result.max_warps / warps;
    result.by_registers = blocks_by_registers(profile, block);
    const std::uint64_t shared = allocated_shared(profile, block.static_shared + block.dynamic_shared);
    const std::uint64_t capacity = block.shared_capacity ? block.shared_capacity : profile.shared_per_multiprocessor;
    result.by_shared =
        shared == 0 ? unlimited : static_cast<unsigned>(std::min<std::uint64_t>(capacity / shared, unlimited));
    const std::array limits = {result.by_threads, profile.max_blocks_per_multiprocessor, result.by_registers,
                               result.by_shared};
    const auto least = std::ranges::min_element(limits);
    result.blocks = *least;
    if (result.blocks == 0) return result;
    result.warps = result.blocks * warps;
    result.limit = static_cast<OccupancyLimit>(least - limits.begin());
    return result;
}

std::uint64_t active_clusters(const Profile& profile, unsigned blocks, unsigned size) {
    // Recorded on an H200: a cluster needs a unit with as many multiprocessors as it has blocks, and of each
    // multiprocessor at most 8 blocks count.
    constexpr unsigned most_of_clusters = 8;
    std::uint64_t clusters = 0;
    for (const unsigned multiprocessors : profile.cluster_units)
        if (size != 0 && multiprocessors >= size)
            clusters += std::min(blocks, most_of_clusters) * multiprocessors / size;
    return clusters;
}

}  // namespace cudash::virtual_gpu
