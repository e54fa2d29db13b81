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

/// What a read puts into registers: integers, or the bits of floats. Channels that the format lacks are 0, the fourth
/// too (measured on an H200).
struct Texel {
    std::array<std::uint32_t, 4> bits{};
};

/// How integers are read.
enum class ReadMode : std::uint8_t {
    element,     ///< as they are
    normalized,  ///< 8 and 16 bits: unsigned / (2^n - 1), signed / (2^(n-1) - 1) and not below -1
    srgb         ///< the same, the first three channels decoded from sRGB
};

/// Whether a read gives floats.
bool reads_floats(const TexelFormat& format, ReadMode mode);
/// Whether a channel of the format is decoded from sRGB.
bool reads_srgb(const TexelFormat& format, ReadMode mode, unsigned channel);

/// A channel's bits at `from`, zero-extended.
std::uint32_t channel_bits(const std::byte* from, const TexelFormat& format, unsigned channel);
/// The channel of an integer format as a number.
std::int64_t channel_integer(const std::byte* from, const TexelFormat& format, unsigned channel);

/// The element at `from`, its integers widened to 32 bits.
Texel read_texel(const std::byte* from, const TexelFormat& format, ReadMode mode);

/// Writes 32-bit values converted to the format, as sust.p does: integers are clamped to the channel's range, floats
/// rounded to it.
void write_texel(std::byte* to, const TexelFormat& format, const std::array<std::uint32_t, 4>& bits);

/// The largest element, four channels of 32 bits.
using BorderTexel = std::array<std::byte, 16>;
/// cudaTextureDesc::borderColor as an element of the format. Numbers are truncated to it; where integers are read as
/// they are, it is the low bits of the floats (measured on an H200).
BorderTexel border_texel(const float (&colour)[4], const TexelFormat& format, ReadMode mode);

}  // namespace cudash::virtual_gpu
