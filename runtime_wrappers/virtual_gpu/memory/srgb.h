// What the texture unit makes of a byte in sRGB: the transfer function of IEC 61966-2-1 in numbers of eight bits.
#pragma once

#include <cstdint>

namespace cudash::virtual_gpu {

/// A linear level from 0 to 1 in units of 2^-16: a multiple of 2^exponent, and below 256 of them but for the level 1.
struct SrgbLevel {
    std::uint32_t units = 0;
    unsigned exponent = 0;  ///< it decides what filtering keeps of darker neighbours
};
SrgbLevel srgb_level(std::uint8_t byte);

}  // namespace cudash::virtual_gpu
