#include "runtime_wrappers/virtual_gpu/model/filter_sum.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "runtime_wrappers/virtual_gpu/isa/semantics_rounding.h"
#include "runtime_wrappers/virtual_gpu/memory/srgb.h"

namespace cudash::virtual_gpu {
namespace {

using semantics::format_f16;
using semantics::format_f32;
using semantics::Rounding;

constexpr int guard_bits = 4;
constexpr int weight_bits = 8;

/// A channel of float or half, taken apart.
struct Parts {
    std::uint32_t significand = 0;  ///< with the leading 1
    int exponent = 0;               ///< of the format's smallest step at this size, biased
    bool negative = false, infinite = false, nan = false;
};

struct FloatForm {
    int mantissa_bits, exponent_bits;
    bool subnormals;

    int bias() const { return (1 << (exponent_bits - 1)) - 1; }
    Parts parts(std::uint32_t bits) const {
        const std::uint32_t mantissa = bits & ((1u << mantissa_bits) - 1);
        const auto field = static_cast<int>(bits >> mantissa_bits & ((1u << exponent_bits) - 1));
        const bool special = field == (1 << exponent_bits) - 1;
        const std::uint32_t leading = field != 0 ? 1u << mantissa_bits : 0;
        Parts parts{.significand = field != 0 || subnormals ? mantissa | leading : 0,
                    .exponent = std::max(field, 1),
                    .negative = (bits >> (mantissa_bits + exponent_bits) & 1) != 0};
        parts.infinite = special && mantissa == 0;
        parts.nan = special && mantissa != 0;
        return parts;
    }
};
constexpr FloatForm single{.mantissa_bits = 23, .exponent_bits = 8, .subnormals = false};
constexpr FloatForm half{.mantissa_bits = 10, .exponent_bits = 5, .subnormals = true};

/// 2 to the `exponent`, which a normal double has.
double power_of_two(int exponent) {
    return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
}

/// The only tap, if it has all the weight: a point in the middle of a texel.
const Tap* only_tap(std::span<const Quad> quads) {
    if (quads.size() != 1) return nullptr;
    const auto found = std::ranges::find(quads[0], 1u << weight_bits, &Tap::weight);
    return found == quads[0].end() ? nullptr : &*found;
}

/// What the taps come to before rounding.
struct Total {
    double value = 0;
    bool all_negative = true;  ///< so that a sum of 0 is -0
};

Total float_total(std::span<const Quad> quads, const TexelFormat& format, unsigned channel, const FloatForm& form) {
    Total total;
    double special = 0;
    for (const Quad& quad : quads) {
        std::array<Parts, 4> parts{};
        int largest = 1;
        for (unsigned t = 0; t < 4; ++t) {
            if (quad[t].weight == 0) continue;
            parts[t] = form.parts(channel_bits(quad[t].texel, format, channel));
            largest = std::max(largest, parts[t].exponent);
            total.all_negative &= parts[t].negative;
            if (parts[t].nan) special = std::nan("");
            if (parts[t].infinite) special += parts[t].negative ? -HUGE_VAL : HUGE_VAL;
        }
        std::int64_t sum = 0;
        for (unsigned t = 0; t < 4; ++t) {
            const std::uint64_t shift = std::min(static_cast<unsigned>(largest - std::max(parts[t].exponent, 1)), 63u);
            const auto aligned =
                static_cast<std::int64_t>((std::uint64_t{parts[t].significand} << guard_bits) >> shift);
            sum += (parts[t].negative ? -aligned : aligned) * quad[t].weight;
        }
        // 39 bits at most: exact, and so is nearly every sum of two.
        total.value += static_cast<double>(sum) *
                       power_of_two(largest - form.bias() - form.mantissa_bits - guard_bits - weight_bits);
    }
    if (special != 0) total.value = special;
    return total;
}

std::uint32_t half_as_float(double value) {
    const std::uint32_t rounded = semantics::round_to<format_f16, Rounding::rna>(value);
    return std::bit_cast<std::uint32_t>(semantics::widen<format_f16>(rounded));
}

std::uint32_t float_sum(std::span<const Quad> quads, const TexelFormat& format, unsigned channel) {
    constexpr std::uint32_t sign = 0x80000000, smallest_normal = 0x00800000, infinity = 0x7F800000;
    const bool wide = format.channel_bytes == 4;
    if (const Tap* tap = only_tap(quads); wide && tap) {
        const std::uint32_t bits = channel_bits(tap->texel, format, channel), size = bits & ~sign;
        return size > infinity ? 0x7FFFFFFF : size < smallest_normal ? bits & sign : bits;
    }
    const Total total = float_total(quads, format, channel, wide ? single : half);
    if (std::isnan(total.value)) return wide ? 0x7FFFFFFF : 0x7FFFE000;
    if (total.value == 0) return total.all_negative ? sign : 0;
    if (!wide) return half_as_float(total.value);
    const std::uint32_t bits = semantics::round_to<format_f32, Rounding::rna>(total.value);
    return (bits & ~sign) < smallest_normal ? bits & sign : bits;
}

std::int64_t integer_total(std::span<const Quad> quads, const TexelFormat& format, unsigned channel) {
    std::int64_t sum = 0;
    for (const Quad& quad : quads)
        for (const Tap& tap : quad)
            if (tap.weight != 0) sum += channel_integer(tap.texel, format, channel) * tap.weight;
    return sum;
}

std::uint32_t normalized_sum(std::span<const Quad> quads, const TexelFormat& format, unsigned channel) {
    const std::int64_t sum = integer_total(quads, format, channel);
    const bool bytes = format.channel_bytes == 1;
    double fraction;
    if (format.kind == ChannelKind::signed_integer) {
        // A signed byte is stretched by 129/128 and a little, to 32767 for 127.
        const std::int64_t rounded = bytes ? (sum * 129 + (sum >> 12) * 16 + 64) >> 7 : (sum + 128) >> 8;
        fraction = static_cast<double>(std::clamp<std::int64_t>(rounded, -32767, 32767)) / 32767;
    } else {
        fraction = static_cast<double>((sum * (bytes ? 257 : 1) + 128) >> 8) / 65535;
    }
    return std::bit_cast<std::uint32_t>(static_cast<float>(fraction));
}

std::uint32_t srgb_sum(std::span<const Quad> quads, const TexelFormat& format, unsigned channel) {
    const auto level = [&](const Tap& tap) {
        return srgb_level(static_cast<std::uint8_t>(channel_bits(tap.texel, format, channel)));
    };
    unsigned largest = 0;
    for (const Quad& quad : quads)
        for (const Tap& tap : quad)
            if (tap.weight != 0) largest = std::max(largest, level(tap).exponent);
    std::uint64_t sum = 0;
    for (const Quad& quad : quads)
        for (const Tap& tap : quad)
            if (tap.weight != 0) sum += std::uint64_t{level(tap).units >> largest << largest} * tap.weight;
    return half_as_float(std::ldexp(static_cast<double>(sum), -16 - weight_bits));
}

}  // namespace

Texel filter_sum(std::span<const Quad> quads, const TexelFormat& format, ReadMode mode) {
    Texel texel;
    for (unsigned c = 0; c < format.channels; ++c) {
        if (format.kind == ChannelKind::floating) {
            texel.bits[c] = float_sum(quads, format, c);
        } else {
            texel.bits[c] = reads_srgb(format, mode, c) ? srgb_sum(quads, format, c) : normalized_sum(quads, format, c);
        }
    }
    return texel;
}

}  // namespace cudash::virtual_gpu
