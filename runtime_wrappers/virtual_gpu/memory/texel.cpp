#include "runtime_wrappers/virtual_gpu/memory/texel.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "runtime_wrappers/virtual_gpu/isa/semantics_rounding.h"

namespace cudash::virtual_gpu {
namespace {

/// A channel's bits, zero-extended.
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

std::int32_t sign_extended(std::uint32_t bits, unsigned bytes) {
    const unsigned unused = 32 - 8 * bytes;
    return static_cast<std::int32_t>(bits << unused) >> unused;
}

float channel_float(std::uint32_t bits, unsigned bytes) {
    if (bytes == 2) return semantics::widen<semantics::format_f16>(static_cast<std::uint16_t>(bits));
    return std::bit_cast<float>(bits);
}

bool is_normalized(const TexelFormat& format, ReadMode mode) {
    return format.kind != ChannelKind::floating && format.channel_bytes <= 2 &&
           (format.normalized || mode != ReadMode::element);
}

/// The sRGB transfer function of IEC 61966-2-1.
double decode_srgb(unsigned byte) {
    static const std::array<double, 256> table = [] {
        std::array<double, 256> values{};
        for (unsigned i = 0; i < 256; ++i) {
            const double c = i / 255.0;
            values[i] = static_cast<float>(c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4));
        }
        return values;
    }();
    return table[byte];
}

double channel_value(std::uint32_t bits, const TexelFormat& format, ReadMode mode, unsigned channel) {
    const unsigned bytes = format.channel_bytes;
    if (format.kind == ChannelKind::floating) return channel_float(bits, bytes);
    const bool normalized = is_normalized(format, mode);
    if (format.kind == ChannelKind::signed_integer) {
        const std::int32_t value = sign_extended(bits, bytes);
        return normalized ? std::max(-1.0, value / (bytes == 1 ? 127.0 : 32767.0)) : value;
    }
    if (!normalized) return bits;
    if (mode == ReadMode::srgb && bytes == 1 && channel < 3) return decode_srgb(bits);
    return bits / (bytes == 1 ? 255.0 : 65535.0);
}

}  // namespace

bool reads_floats(const TexelFormat& format, ReadMode mode) {
    return format.kind == ChannelKind::floating || is_normalized(format, mode);
}

TexelValues read_values(const std::byte* from, const TexelFormat& format, ReadMode mode) {
    TexelValues values{0, 0, 0, 1};
    for (unsigned c = 0; c < format.channels; ++c)
        values[c] = channel_value(channel_bits(from, format, c), format, mode, c);
    return values;
}

Texel read_texel(const std::byte* from, const TexelFormat& format, ReadMode mode) {
    if (format.channel_bytes == 4) {
        const std::uint32_t one = format.kind == ChannelKind::floating ? std::bit_cast<std::uint32_t>(1.0f) : 1;
        Texel texel{{0, 0, 0, one}};
        for (unsigned c = 0; c < format.channels; ++c) texel.bits[c] = channel_bits(from, format, c);
        return texel;
    }
    return to_texel(read_values(from, format, mode), reads_floats(format, mode));
}

Texel to_texel(const TexelValues& values, bool floats) {
    Texel texel;
    for (unsigned c = 0; c < 4; ++c)
        texel.bits[c] = floats ? std::bit_cast<std::uint32_t>(static_cast<float>(values[c]))
                               : static_cast<std::uint32_t>(static_cast<std::int64_t>(values[c]));
    return texel;
}

void write_texel(std::byte* to, const TexelFormat& format, const std::array<std::uint32_t, 4>& bits) {
    const unsigned bytes = format.channel_bytes;
    for (unsigned c = 0; c < format.channels; ++c) {
        std::uint32_t value = bits[c];
        if (format.kind == ChannelKind::floating) {
            if (bytes == 2)
                value =
                    semantics::round_to<semantics::format_f16, semantics::Rounding::rn>(std::bit_cast<float>(bits[c]));
        } else if (bytes < 4 && format.kind == ChannelKind::unsigned_integer) {
            value = std::min(value, (1u << 8 * bytes) - 1);
        } else if (bytes < 4) {
            const std::int32_t most = (1 << (8 * bytes - 1)) - 1;
            value = static_cast<std::uint32_t>(std::clamp(static_cast<std::int32_t>(value), -most - 1, most));
        }
        std::memcpy(to + c * bytes, &value, bytes);
    }
}

}  // namespace cudash::virtual_gpu
