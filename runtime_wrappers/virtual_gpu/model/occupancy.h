// How many blocks of a kernel one multiprocessor holds at once, and which resource says so. The rules are those of
// cuda_occupancy.h (compute capability 2.0 and later) and of the CUDA 3 occupancy calculator (1.x).
#pragma once

#include <cstdint>
#include <string_view>

#include "runtime_wrappers/virtual_gpu/devices/profile.h"

namespace cudash::virtual_gpu {

struct BlockResources {
    unsigned threads = 0;
    unsigned registers_per_thread = 0;
    std::uint64_t static_shared = 0, dynamic_shared = 0;  ///< bytes
    /// Shared memory that the multiprocessor is set to have (model/carveout.h); 0: the most that it can have.
    std::uint64_t shared_capacity = 0;
};

/// The resource that ran out first. Ties go to the first in this order.
enum class OccupancyLimit : std::uint8_t { threads, blocks, registers, shared_memory, impossible };
std::string_view name_of(OccupancyLimit limit);

struct Occupancy {
    unsigned blocks = 0;  ///< per multiprocessor
    unsigned warps = 0;   ///< active, of max_warps
    unsigned max_warps = 0;
    OccupancyLimit limit = OccupancyLimit::impossible;
    /// Blocks that each resource alone would allow.
    unsigned by_threads = 0, by_registers = 0, by_shared = 0;
};

Occupancy occupancy(const Profile& profile, const BlockResources& block);

/// Clusters of `size` blocks that are active at once, where a multiprocessor holds `blocks` of them.
std::uint64_t active_clusters(const Profile& profile, unsigned blocks, unsigned size);

/// Registers that one block takes, as the hardware hands them out; `max_registers_per_block` limits that.
unsigned allocated_registers(const Profile& profile, unsigned threads, unsigned registers_per_thread);
/// Shared memory that one block takes, in the hardware's units and with the system's share.
std::uint64_t allocated_shared(const Profile& profile, std::uint64_t bytes);
/// What cudaOccupancyAvailableDynamicSMemPerBlock says of `blocks` blocks that share `capacity` bytes. The runtime does
/// not count the system's share, so where there is one (8.0 and later) a block fewer may be resident (recorded on an
/// H200).
std::uint64_t available_dynamic_shared(const Profile& profile, std::uint64_t capacity, unsigned blocks,
                                       std::uint64_t static_shared);

}  // namespace cudash::virtual_gpu
