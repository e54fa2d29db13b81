#include "runtime_wrappers/virtual_gpu/memory/texel.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "runtime_wrappers/virtual_gpu/isa/semantics_rounding.h"
#include "runtime_wrappers/virtual_gpu/memory/srgb.h"

namespace cudash::virtual_gpu {
namespace {

using semantics::format_f16;
using semantics::Rounding;

std::int32_t sign_extended(std::uint32_t bits, unsigned bytes) {
    const unsigned unused = 32 - 8 * bytes;
    return static_cast<std::int32_t>(bits << unused) >> unused;
}

bool is_normalized(const TexelFormat& format, ReadMode mode) {
    return format.kind != ChannelKind::floating && format.channel_bytes <= 2 &&
           (format.normalized || mode != ReadMode::element);
}

/// What stands for 1 in a normalized channel.
double full_scale(const TexelFormat& format) {
    const bool is_signed = format.kind == ChannelKind::signed_integer;
    return (1u << (8 * format.channel_bytes - (is_signed ? 1 : 0))) - 1;
}

/// The payload of a NaN is kept, unlike in a conversion by cvt.
std::uint32_t widened_half(std::uint32_t bits) {
    if ((bits & 0x7FFF) > 0x7C00) return (bits & 0x8000) << 16 | 0x7F800000 | (bits & 0x3FF) << 13;
    return std::bit_cast<std::uint32_t>(semantics::widen<format_f16>(bits));
}

std::uint32_t read_channel(const std::byte* from, const TexelFormat& format, ReadMode mode, unsigned channel) {
    const std::uint32_t bits = channel_bits(from, format, channel);
    if (format.channel_bytes == 4) return bits;
    if (format.kind == ChannelKind::floating) return widened_half(bits);
    const std::int64_t value = channel_integer(from, format, channel);
    if (!is_normalized(format, mode)) return static_cast<std::uint32_t>(value);
    const double fraction = reads_srgb(format, mode, channel)
                                ? srgb_level(static_cast<std::uint8_t>(bits)).units / 65536.0
                                : std::max(-1.0, static_cast<double>(value) / full_scale(format));
    return std::bit_cast<std::uint32_t>(static_cast<float>(fraction));
}

/// Toward zero, as surfaces are written: the largest value is exceeded only by infinity, and a NaN keeps its sign and
/// the upper payload, or 1 if that is 0 (measured on an H200).
std::uint32_t cut_to_half(std::uint32_t bits) {
    if ((bits & 0x7FFFFFFF) <= 0x7F800000)
        return semantics::round_to<format_f16, Rounding::rz>(std::bit_cast<float>(bits));
    return (bits >> 16 & 0x8000) | 0x7C00 | std::max(bits >> 13 & 0x3FF, 1u);
}

std::uint32_t border_bits(float colour, const TexelFormat& format, ReadMode mode) {
    if (format.channel_bytes == 2 && format.kind == ChannelKind::floating)
        return std::isnan(colour) ? 0x7E00 : semantics::round_to<format_f16, Rounding::rz>(colour);
    if (!is_normalized(format, mode)) return std::bit_cast<std::uint32_t>(colour);
    if (std::isnan(colour)) return 0;
    const double least = format.kind == ChannelKind::signed_integer ? -1 : 0;
    return static_cast<std::uint32_t>(
        static_cast<std::int32_t>(std::clamp(static_cast<double>(colour), least, 1.0) * full_scale(format)));
}

}  // namespace

std::uint32_t channel_bits(const std::byte* from, const TexelFormat& format, unsigned channel) {
    const std::byte* place = from + channel * format.channel_bytes;
    if (format.channel_bytes == 1) return std::to_integer<std::uint32_t>(*place);
    if (format.channel_bytes == 2) {
        std::uint16_t half;
        std::memcpy(&half, place, sizeof half);
        return half;
    }
    std::uint32_t word;
    std::memcpy(&word, place, sizeof word);
    return word;
}

std::int64_t channel_integer(const std::byte* from, const TexelFormat& format, unsigned channel) {
    const std::uint32_t bits = channel_bits(from, format, channel);
    if (format.kind == ChannelKind::signed_integer) return sign_extended(bits, format.channel_bytes);
    return bits;
}

bool reads_floats(const TexelFormat& format, ReadMode mode) {
    return format.kind == ChannelKind::floating || is_normalized(format, mode);
}

bool reads_srgb(const TexelFormat& format, ReadMode mode, unsigned channel) {
    return mode == ReadMode::srgb && channel < 3 && format.channel_bytes == 1 &&
           format.kind == ChannelKind::unsigned_integer;
}

Texel read_texel(const std::byte* from, const TexelFormat& format, ReadMode mode) {
    Texel texel;
    for (unsigned c = 0; c < format.channels; ++c) texel.bits[c] = read_channel(from, format, mode, c);
    return texel;
}

void write_texel(std::byte* to, const TexelFormat& format, const std::array<std::uint32_t, 4>& bits) {
    const unsigned bytes = format.channel_bytes;
    for (unsigned c = 0; c < format.channels; ++c) {
        std::uint32_t value = bits[c];
        if (format.kind == ChannelKind::floating) {
            if (bytes == 2) value = cut_to_half(bits[c]);
        } else if (bytes < 4 && format.kind == ChannelKind::unsigned_integer) {
            value = std::min(value, (1u << 8 * bytes) - 1);
        } else if (bytes < 4) {
            const std::int32_t most = (1 << (8 * bytes - 1)) - 1;
            value = static_cast<std::uint32_t>(std::clamp(static_cast<std::int32_t>(value), -most - 1, most));
        }
        std::memcpy(to + c * bytes, &value, bytes);
    }
}

BorderTexel border_texel(const float (&colour)[4], const TexelFormat& format, ReadMode mode) {
    BorderTexel texel{};
    for (unsigned c = 0; c < format.channels; ++c) {
        const std::uint32_t bits = border_bits(colour[c], format, mode);
        std::memcpy(texel.data() + c * format.channel_bytes, &bits, format.channel_bytes);
    }
    return texel;
}

}  // namespace cudash::virtual_gpu
