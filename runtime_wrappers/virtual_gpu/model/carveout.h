// How the on-chip memory of a multiprocessor is split between shared memory and L1 cache.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "runtime_wrappers/virtual_gpu/devices/profile.h"

namespace cudash::virtual_gpu {

/// Bytes per multiprocessor.
struct OnChipSplit {
    std::uint32_t shared = 0;
    std::uint32_t l1 = 0;  ///< with the texture cache where they are one; 0: global memory is not cached there
};

/// The splits that the profile's generation can be set to, least shared memory first. Not empty.
std::span<const OnChipSplit> on_chip_splits(const Profile& profile);

/// cudaFuncSetCacheConfig and cudaDeviceSetCacheConfig, in the order of cudaFuncCache.
enum class CachePreference : std::uint8_t { none, shared, l1, equal };

/// The split that a kernel with `shared_per_block` bytes runs with on 2.x and 3.x. Later generations take the
/// preference as a hint for the carve-out (prefer shared: all of it, prefer L1: as little as the block needs).
OnChipSplit split_for(const Profile& profile, CachePreference preference, std::uint32_t shared_per_block);

/// cudaFuncAttributePreferredSharedMemoryCarveout: `percent` of the most shared memory, 0 to 100. The split has at
/// least that, and room for one block.
OnChipSplit split_for_carveout(const Profile& profile, unsigned percent, std::uint32_t shared_per_block);

/// Without a preference (cudaSharedmemCarveoutDefault): room for as many blocks as other resources let be resident, and
/// the rest for the cache. How a driver chooses is not documented; this is the model's choice.
OnChipSplit default_split(const Profile& profile, std::uint32_t shared_per_block, unsigned resident_blocks);

}  // namespace cudash::virtual_gpu
