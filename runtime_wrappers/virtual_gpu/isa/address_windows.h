// Where the state spaces lie in the generic address space (PTX ISA, "Generic Addressing"). The windows are above the
// 47 bits of user space, so no host or device address can be mistaken for them.
#pragma once

#include "runtime_wrappers/virtual_gpu/memory/address_space.h"

namespace cudash::virtual_gpu {

inline constexpr std::uint64_t window_size = 0x0100'0000;  ///< 16 MiB each, as on hardware
inline constexpr Address shared_window = 0x8000'0100'0000;
inline constexpr Address local_window = 0x8000'0200'0000;
inline constexpr Address param_window = 0x8000'0300'0000;
inline constexpr Address code_window = 0x8000'0400'0000;
inline constexpr std::uint64_t code_step = 16;  ///< a function's address is code_window + index * code_step

constexpr bool in_window(Address address, Address window) {
    return address - window < window_size;
}

}  // namespace cudash::virtual_gpu
