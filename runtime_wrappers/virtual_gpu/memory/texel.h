// Texels: how one element of a texture or surface lies in memory, and what reading it gives (CUDA Programming Guide,
// "Texture Memory": the read mode, and "Texture Fetching").
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace cudash::virtual_gpu {

enum class ChannelKind : std::uint8_t { unsigned_integer, signed_integer, floating };

/// One, two or four channels of 8, 16 or 32 bits; floating channels have 16 or 32.
struct TexelFormat {
    ChannelKind kind = ChannelKind::floating;
    std::uint8_t channels = 1;
    std::uint8_t channel_bytes = 4;
    bool normalized = false;  ///< integers stand for [0, 1] or [-1, 1], whatever the read mode

    unsigned bytes() const { return std::uint32_t{channels} * channel_bytes; }
    friend bool operator==(const TexelFormat&, const TexelFormat&) = default;
};

/// What a read puts into registers: integers, or the bits of floats. Channels that the format lacks are 0, and 1 for
/// the fourth.
struct Texel {
    std::array<std::uint32_t, 4> bits{};
};

using TexelValues = std::array<double, 4>;

/// How integers are read.
enum class ReadMode : std::uint8_t {
    element,     ///< as they are
    normalized,  ///< 8 and 16 bits: unsigned / (2^n - 1), signed / (2^(n-1) - 1) and not below -1
    srgb         ///< the same, the first three channels decoded from sRGB
};

/// Whether a read gives floats.
bool reads_floats(const TexelFormat& format, ReadMode mode);

/// The element at `from` as numbers, exact but for the division of normalized ones.
TexelValues read_values(const std::byte* from, const TexelFormat& format, ReadMode mode);
/// The element at `from`, its integers widened to 32 bits.
Texel read_texel(const std::byte* from, const TexelFormat& format, ReadMode mode);
/// Numbers as a read returns them: floats rounded once, or integers.
Texel to_texel(const TexelValues& values, bool floats);

/// Writes 32-bit values converted to the format, as sust.p does: integers are clamped to the channel's range, floats
/// rounded to it.
void write_texel(std::byte* to, const TexelFormat& format, const std::array<std::uint32_t, 4>& bits);

}  // namespace cudash::virtual_gpu
