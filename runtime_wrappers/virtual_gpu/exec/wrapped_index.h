// Accesses whose unsigned 32-bit index went below zero.
#pragma once

#include <cstdint>
#include <optional>

#include "runtime_wrappers/virtual_gpu/exec/block.h"

namespace cudash::virtual_gpu {

struct WrappedIndex {
    Allocation array;         ///< one that the kernel was given
    std::uint64_t below = 0;  ///< the index was minus this
};

/// The access at `address`, of `size` bytes, lies 2^32 elements of that size behind a place just before an array. Of
/// several arrays it is the nearest; `base`, if it is known, is the only one.
std::optional<WrappedIndex> find_wrapped_index(const Launch& launch, Address address, std::uint32_t size,
                                               const std::optional<Allocation>& base);

}  // namespace cudash::virtual_gpu
