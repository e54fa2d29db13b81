// Where the state spaces lie in the generic address space (PTX ISA, "Generic Addressing"). The windows are above the
// 47 bits of user space, so no host or device address can be mistaken for them.
#pragma once

#include "runtime_wrappers/virtual_gpu/memory/address_space.h"

namespace cudash::virtual_gpu {

inline constexpr std::uint64_t window_size = 0x0100'0000;  ///< 16 MiB each, as on hardware
/// Of a generic address to shared memory, the lower 32 bits are its place there, as on an H200: accesses of .shared
/// take no other bits of it.
inline constexpr Address shared_window = 0x8001'0000'0000;
inline constexpr Address local_window = 0x8000'2000'0000;
inline constexpr Address param_window = 0x8000'2100'0000;
inline constexpr Address code_window = 0x8000'2200'0000;
/// What cudaGetErrorName() and cudaGetErrorString() give device code: text_window + 2 * error, or one more.
inline constexpr Address text_window = 0x8000'2300'0000;
inline constexpr std::uint64_t code_step = 16;  ///< a function's address is code_window + index * code_step

constexpr bool in_window(Address address, Address window) {
    return address - window < window_size;
}

/// The shared memory of the blocks of a cluster lies behind that of the block itself: an address within
/// .shared::cluster has the number 1 + rank above the 24 bits of the place, or 0 for the block's own.
inline constexpr unsigned cluster_shift = 24, most_cluster_blocks = 16;
constexpr std::uint64_t cluster_address(std::uint64_t place, std::uint64_t rank) {
    return (rank + 1) << cluster_shift | (place & (window_size - 1));
}
constexpr bool is_of_cluster(std::uint64_t shared_address) {
    return shared_address >= window_size && shared_address < (most_cluster_blocks + 1) * window_size;
}

}  // namespace cudash::virtual_gpu
