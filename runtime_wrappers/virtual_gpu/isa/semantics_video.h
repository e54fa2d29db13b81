// Video instructions (PTX ISA 9.7.19 "Video Instructions"): parts of registers are extracted, widened, combined,
// limited and then merged into, or accumulated with, a third operand. GPUs since Maxwell have none of the scalar ones;
// what is done instead departs from the PTX ISA at the ends of the 32-bit range. Those rules were measured on an H200.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

namespace cudash::virtual_gpu::semantics {

enum class VideoOperation : std::uint8_t { add, sub, average, absdiff, min, max, shl, shr, set };
enum class VideoSecond : std::uint8_t { none, add, min, max };
enum class VideoCompare : std::uint8_t { eq, ne, lt, le, gt, ge };

/// A part of a 32-bit register: all of it, a half or a byte.
struct VideoPart {
    std::uint8_t shift = 0, bits = 32;
};

/// vadd, vsub, vabsdiff, vmin, vmax, vshl, vshr, vmad and vset.
struct ScalarVideo {
    VideoOperation operation = VideoOperation::add;
    VideoSecond second = VideoSecond::none;
    VideoCompare compare = VideoCompare::eq;
    bool a_signed = false, b_signed = false, c_signed = false, d_signed = false, saturate = false;
    bool wrap = false;    ///< vshl, vshr: the amount is taken modulo 32, not clamped to 32
    bool merges = false;  ///< the destination is a part: the rest of it is c's
    VideoPart a, b, d;
    // vmad
    bool negate_product = false, negate_c = false, plus_one = false;
    std::uint8_t scale = 0;  ///< bits that the sum is shifted right
};

/// The 2- and 4-lane forms.
struct SimdVideo {
    VideoOperation operation = VideoOperation::add;
    VideoCompare compare = VideoCompare::eq;
    bool a_signed = false, b_signed = false, d_signed = false, saturate = false;
    bool accumulate = false;
    std::uint8_t lanes = 4;                       ///< 2 or 4
    std::uint8_t mask = 0xF;                      ///< lanes of d that are written
    std::uint8_t a_lane[4] = {}, b_lane[4] = {};  ///< by lane of d: which lane of the pair b:a
};

inline std::int64_t extract_part(std::uint32_t word, VideoPart part, bool is_signed) {
    const std::uint32_t value = word << (32 - part.shift - part.bits);
    const unsigned drop = 32u - part.bits;
    return is_signed ? static_cast<std::int32_t>(value) >> drop : std::int64_t{value >> drop};
}

inline std::int64_t limit(std::int64_t value, unsigned bits, bool is_signed) {
    const std::int64_t most = (std::int64_t{1} << (is_signed ? bits - 1 : bits)) - 1;
    const std::int64_t least = is_signed ? -most - 1 : 0;
    return value < least ? least : value > most ? most : value;
}

inline bool video_compare(VideoCompare compare, std::int64_t a, std::int64_t b) {
    switch (compare) {
        case VideoCompare::eq:
            return a == b;
        case VideoCompare::ne:
            return a != b;
        case VideoCompare::lt:
            return a < b;
        case VideoCompare::le:
            return a <= b;
        case VideoCompare::gt:
            return a > b;
        case VideoCompare::ge:
            return a >= b;
    }
    return false;
}

template <class Form>
std::int64_t video_value(const Form& form, std::int64_t a, std::int64_t b) {
    switch (form.operation) {
        case VideoOperation::add:
            return a + b;
        case VideoOperation::sub:
            return a - b;
        case VideoOperation::average:
            return a + b >= 0 ? (a + b + 1) >> 1 : (a + b) >> 1;
        case VideoOperation::absdiff:
            return a < b ? b - a : a - b;
        case VideoOperation::min:
            return a < b ? a : b;
        case VideoOperation::max:
            return a > b ? a : b;
        case VideoOperation::set:
            return video_compare(form.compare, a, b);
        case VideoOperation::shl:
        case VideoOperation::shr:
            break;
    }
    return 0;
}

/// "d = optSat(tmp, isSigned(dtype), dsel)". Sums and differences that are too large for .u32 wrap nevertheless;
/// shifted values have 34 bits, and are saturated to 32 even for a part; what else is saturated to a part counts as an
/// unsigned number of 64 bits, so that a negative one is the largest.
inline std::int64_t saturate_video(const ScalarVideo& form, std::int64_t value) {
    if (form.operation == VideoOperation::shl)
        value = static_cast<std::int64_t>(static_cast<std::uint64_t>(value) << 30) >> 30;
    const bool wraps = form.operation == VideoOperation::add || form.operation == VideoOperation::sub ||
                       form.operation == VideoOperation::absdiff;
    if (wraps && form.d.bits == 32 && !form.d_signed) return value < 0 ? 0 : value;
    if (form.operation == VideoOperation::shl || form.operation == VideoOperation::shr)
        return limit(value, 32, form.d_signed);
    if (form.d.bits < 32 && value < 0) value = std::numeric_limits<std::int64_t>::max();
    return limit(value, form.d.bits, form.d_signed);
}

/// ".min" and ".max" with c: sums and differences enter by their low 32 bits, sign-extended even for .u32, where the
/// comparison then is one of unsigned 64-bit numbers.
inline bool video_less(const ScalarVideo& form, std::int64_t value, std::int64_t third) {
    if (form.operation == VideoOperation::add || form.operation == VideoOperation::sub)
        value = static_cast<std::int32_t>(value);
    return form.c_signed ? value < third : static_cast<std::uint64_t>(value) < static_cast<std::uint64_t>(third);
}

/// "d = optMerge(dsel, tmp, c)" after "d = optSecondaryOp(op2, tmp, c)"; the upper half is that of the value.
inline std::uint32_t finish_video(const ScalarVideo& form, std::int64_t value, std::uint32_t c) {
    const std::int64_t third = form.c_signed ? static_cast<std::int32_t>(c) : std::int64_t{c};
    if (form.second == VideoSecond::add) value += third;
    if (form.second == VideoSecond::min) value = video_less(form, value, third) ? value : third;
    if (form.second == VideoSecond::max) value = video_less(form, value, third) ? third : value;
    const auto bits = static_cast<std::uint32_t>(value);
    if (!form.merges) return bits;
    const std::uint32_t mask = (form.d.bits == 32 ? ~0u : (1u << form.d.bits) - 1) << form.d.shift;
    const unsigned shift = form.d.bits == 16 ? 0 : form.d.shift;
    return (bits << shift & mask) | (c & ~mask);
}

inline std::uint32_t scalar_video(const ScalarVideo& form, std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    const std::int64_t x = extract_part(a, form.a, form.a_signed), y = extract_part(b, form.b, form.b_signed);
    std::int64_t value;
    if (form.operation == VideoOperation::shl || form.operation == VideoOperation::shr) {
        const std::int64_t amount = form.wrap ? y & 31 : (y > 32 ? 32 : y);
        value = form.operation == VideoOperation::shl
                    ? static_cast<std::int64_t>(static_cast<std::uint64_t>(x) << amount)
                    : x >> amount;
    } else {
        value = video_value(form, x, y);
    }
    if (form.saturate) value = saturate_video(form, value);
    return finish_video(form, value, c);
}

/// vmad: "signedFinal = isSigned(atype) || isSigned(btype) || (a.negate ^ b.negate) || c.negate". Whole registers and c
/// are multiplied and added as signed numbers whatever their types are, in 64 bits.
inline std::uint32_t video_multiply_add(const ScalarVideo& form, std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    const bool is_signed = form.a_signed || form.b_signed || form.negate_product || form.negate_c;
    auto product = static_cast<std::uint64_t>(extract_part(a, form.a, form.a_signed || form.a.bits == 32)) *
                   static_cast<std::uint64_t>(extract_part(b, form.b, form.b_signed || form.b.bits == 32));
    auto third = static_cast<std::uint64_t>(static_cast<std::int32_t>(c));
    if (form.negate_product) product = 0 - product;
    if (!form.negate_product && form.negate_c) third = 0 - third;
    const std::uint64_t sum = product + third + (form.plus_one ? 1 : 0);
    const auto number = static_cast<std::int64_t>(sum);
    if (!form.saturate) return static_cast<std::uint32_t>(number >> form.scale);
    if (is_signed) return static_cast<std::uint32_t>(limit(number >> form.scale, 32, true));
    // A sum below zero that is scaled counts as a large one, as its bits are those of an unsigned number.
    if (form.scale == 0) return static_cast<std::uint32_t>(limit(number, 32, false));
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(sum >> form.scale, 0xFFFF'FFFFu));
}

inline std::uint32_t simd_video(const SimdVideo& form, std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    const auto bits = static_cast<std::uint8_t>(32 / form.lanes);
    auto lane_of = [&](std::uint8_t lane, bool is_signed) {
        const std::uint32_t word = lane < form.lanes ? a : b;
        return extract_part(word, {static_cast<std::uint8_t>(lane % form.lanes * bits), bits}, is_signed);
    };
    std::uint32_t merged = c, sum = c;
    for (unsigned i = 0; i < form.lanes; ++i) {
        if (!(form.mask >> i & 1)) continue;
        std::int64_t value =
            video_value(form, lane_of(form.a_lane[i], form.a_signed), lane_of(form.b_lane[i], form.b_signed));
        if (form.saturate) value = limit(value, bits, form.d_signed);
        sum += static_cast<std::uint32_t>(value);
        const std::uint32_t lane_mask = ((1u << bits) - 1) << i * bits;
        merged = (merged & ~lane_mask) | (static_cast<std::uint32_t>(value) << i * bits & lane_mask);
    }
    return form.accumulate ? sum : merged;
}

}  // namespace cudash::virtual_gpu::semantics
