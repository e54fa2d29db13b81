// The special function unit (MUFU) of an H200, bit for bit: what it computes for every operand.
//
// It is the interpolator that Oberman and Siu describe ("A High-Performance Area-Efficient Multifunction Interpolator",
// ARITH 2005). The leading bits of the operand's mantissa choose a segment, the others are x, and the result is
//
//     c0 + c1 * x + c2 * x^2, cut to 24 bits
//
// in whole numbers, where the square lacks the partial products below 2^-15. The tables, the lengths of the words and
// the constants below were measured; with them all 2^32 operands of each function come out as an H200 gives them
// (tests/hardware/special_functions). Operands and results that are subnormal count as zero. No host's libm is used,
// and sums stay below 2^53, so that double arithmetic is exact here.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "runtime_wrappers/virtual_gpu/isa/semantics_float.h"
#include "runtime_wrappers/virtual_gpu/isa/special_function_tables.h"

namespace cudash::virtual_gpu::semantics {

/// Whole bits of the mantissa of an f32.
inline constexpr std::int32_t mantissa_mask = 0x7FFFFF;

/// x^2 / 2^19 for 17 bits of x, without the partial products x_i * x_j of a weight below 2^19: of the upper eight bits
/// all count but the least one's own square, of those with the lower nine only some. Unrolled: it must stay vector
/// code.
inline std::int32_t truncated_square(std::int32_t x) {
    const std::int32_t high = x >> 9, low = x & 0x1FF;
    const auto part = [&](int bit) { return -(high >> bit & 1) & low >> (9 - bit); };
    return (high * high >> 1) + part(1) + part(2) + part(3) + part(4) + part(5) + part(6) + part(7);
}

/// How the words of a table lie: the sum is a whole number of 2^-unit, c0 one of 2^(step - unit), and what rounds.
struct TableFormat {
    int unit, step;
    std::int32_t bias;
};

/// What a table holds of one segment, as it is looked up: c1 in the upper 18 bits of `slopes`, c2 in the lower 14.
struct Segment {
    std::int32_t c0, slopes;
    std::int32_t c1() const { return slopes >> 14; }
    std::int32_t c2() const { return static_cast<std::int32_t>(static_cast<std::uint32_t>(slopes) << 18) >> 18; }
};
template <int Segments>
constexpr std::array<Segment, Segments> packed(const SpecialFunctionTable<Segments>& table) {
    std::array<Segment, Segments> rows{};
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const std::uint32_t c1 = static_cast<std::uint32_t>(table.c1[i]), c2 = static_cast<std::uint32_t>(table.c2[i]);
        rows[i] = {table.c0[i], static_cast<std::int32_t>(c1 << 14 | (c2 & 0x3FFF))};
    }
    return rows;
}

/// The sum, as a whole number, in two parts: upper * 2^9 + lower, where lower has nine bits.
struct Sum {
    std::uint32_t upper;
    std::int32_t lower;
    double value() const { return static_cast<double>(upper) * 512.0 + lower; }
};
/// `rest` has 17 bits, or 16 and a zero below them. All of it is arithmetic of 32 bits.
template <TableFormat Format, int RestBits = 17>
inline Sum interpolate(Segment segment, std::int32_t rest) {
    const std::int32_t high = rest >> 9, low = (rest & 0x1FF) >> (17 - RestBits);
    constexpr int low_bits = RestBits - 8;
    const std::int32_t small = segment.c1() * low + segment.c2() * truncated_square(rest) + Format.bias;
    // c0 + c1 * high is a multiple of 2^low_bits, and the sum is positive.
    const std::uint32_t large = (static_cast<std::uint32_t>(segment.c0) << (Format.step - low_bits)) +
                                static_cast<std::uint32_t>(segment.c1() * high);
    const std::uint32_t total = large + static_cast<std::uint32_t>(small >> low_bits);
    return {low_bits == 9 ? total : total >> 1, small & 0x1FF};
}

/// A positive number without the bits beyond the 24 that an f32 has.
inline double cut_to_24_bits(double value) {
    return std::bit_cast<double>(std::bit_cast<std::uint64_t>(value) & ~std::uint64_t{0x1FFFFFFF});
}
/// The bits of a positive number as f32, cut to 24 bits.
inline std::int32_t cut_to_f32(double value) {
    return std::bit_cast<std::int32_t>(static_cast<float>(cut_to_24_bits(value)));
}
/// To be added to the bits of an f32 that is not zero: times 2^power.
inline std::int32_t power_of_two(std::int32_t power) {
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(power) << 23);
}
inline std::int32_t int_bits(float value) {
    return std::bit_cast<std::int32_t>(value);
}
inline float from_int_bits(std::int32_t bits) {
    return std::bit_cast<float>(bits);
}
inline constexpr std::int32_t infinity_bits = 0x7F800000, nan_bits_f32 = 0x7FFFFFFF, least_normal_bits = 0x00800000;
inline constexpr std::int32_t one_bits = 0x3F800000, sign_bit = std::numeric_limits<std::int32_t>::min();

// Each function in two steps, so that a loop over lanes can look the table up between two vector loops: which segment
// an operand lies in, and the result with what the table has there. evaluate() is both, for one value.

struct MufuRcp {
    static constexpr auto rows = packed(rcp_table);
    static std::int32_t segment(float a) { return (int_bits(a) & mantissa_mask) >> 16; }
    static float value(float a, Segment found) {
        constexpr TableFormat format{39, 13, 2023};
        const std::int32_t bits = int_bits(a), sign = bits & sign_bit, magnitude = bits & ~sign_bit;
        const Sum sum = interpolate<format, 16>(found, (bits & 0xFFFF) << 1);
        // In [1/2, 1]: 24 bits, of which the first counts in the exponent.
        const auto mantissa = static_cast<std::int32_t>(sum.upper >> (format.unit - 24 - 9));
        const std::int32_t inverse = mantissa + power_of_two(125 - ((magnitude >> 23) - 127));
        const std::int32_t normal = inverse < least_normal_bits || magnitude >= infinity_bits ? 0 : inverse;
        const std::int32_t result = sign | (magnitude < least_normal_bits ? infinity_bits : normal);
        return from_int_bits(magnitude > infinity_bits ? nan_bits_f32 : result);
    }
};

/// Roots take two octaves, [1, 4), and half the exponent.
inline std::int32_t root_segment(std::int32_t bits) {
    return ((bits >> 23 & 1) ^ 1) << 6 | (bits & mantissa_mask) >> 17;
}
inline std::int32_t half_exponent(std::int32_t bits) {
    return ((bits >> 23 & 0xFF) - 127) >> 1;
}

struct MufuRsqrt {
    static constexpr auto rows = packed(rsqrt_table);
    static std::int32_t segment(float a) { return root_segment(int_bits(a)); }
    static float value(float a, Segment found) {
        constexpr TableFormat format{40, 14, -1};
        const std::int32_t bits = int_bits(a), sign = bits & sign_bit, magnitude = bits & ~sign_bit;
        // A power of four is not looked up.
        const bool is_exact = (bits & 0xFFFFFF) == (one_bits & 0xFFFFFF);
        const auto root =
            static_cast<std::int32_t>(interpolate<format>(found, bits & 0x1FFFF).upper >> (format.unit - 24 - 9));
        const std::int32_t normal = (is_exact ? 1 << 24 : root) + power_of_two(125 - half_exponent(bits));
        const std::int32_t of_number = bits < 0 || magnitude > infinity_bits ? nan_bits_f32 : normal;
        const std::int32_t finite = magnitude < least_normal_bits ? sign | infinity_bits : of_number;
        return from_int_bits(bits == infinity_bits ? 0 : finite);
    }
};

struct MufuSqrt {
    static constexpr auto rows = packed(sqrt_table);
    static std::int32_t segment(float a) { return root_segment(int_bits(a)); }
    static float value(float a, Segment found) {
        constexpr TableFormat format{40, 15, -1};
        const std::int32_t bits = int_bits(a), sign = bits & sign_bit, magnitude = bits & ~sign_bit;
        const auto root =
            static_cast<std::int32_t>(interpolate<format>(found, bits & 0x1FFFF).upper >> (format.unit - 23 - 9));
        const std::int32_t normal = root + power_of_two(126 + half_exponent(bits));
        const std::int32_t of_number = bits < 0 || magnitude > infinity_bits ? nan_bits_f32 : normal;
        const std::int32_t finite = magnitude < least_normal_bits ? sign : of_number;
        return from_int_bits(bits == infinity_bits ? infinity_bits : finite);
    }
};

/// The sum is cut to multiples of 2^-36 before the exponent is added; a negative one is complemented, not negated.
struct MufuLg2 {
    static constexpr auto rows = packed(lg2_table);
    static std::int32_t segment(float a) { return (int_bits(a) & mantissa_mask) >> 17; }
    static float value(float a, Segment found) {
        constexpr TableFormat format{38, 12, 837};
        const std::int32_t bits = int_bits(a), magnitude = bits & ~sign_bit;
        const Sum sum = interpolate<format>(found, bits & 0x1FFFF), cut{sum.upper, sum.lower & ~3};
        const double total = cut.value() + static_cast<double>((magnitude >> 23) - 127) * 0x1.0p38;
        const std::int32_t size = cut_to_f32(total < 0 ? -4.0 - total : total) - power_of_two(format.unit);
        const std::int32_t logarithm = size | (total < 0 ? sign_bit : 0);
        const std::int32_t of_number = bits < 0 || magnitude > infinity_bits ? nan_bits_f32 : logarithm;
        const std::int32_t finite = magnitude < least_normal_bits ? sign_bit | infinity_bits : of_number;
        const std::int32_t result = bits == infinity_bits ? infinity_bits : finite;
        return from_int_bits(bits == one_bits ? 0 : result);
    }
};

/// The operand is cut to multiples of 2^-23; a negative one that is not whole is complemented, not negated.
struct MufuEx2 {
    static constexpr auto rows = packed(ex2_table);
    static std::int32_t fixed_point(float a) {
        const float size = std::fabs(a);
        const auto fixed = static_cast<std::int32_t>((size < 255.0f ? size : 255.0f) * 0x1.0p23f);
        const std::int32_t negative = (fixed & mantissa_mask) != 0 ? ~fixed : -fixed;
        return int_bits(a) < 0 ? negative : fixed;
    }
    static std::int32_t segment(float a) { return (fixed_point(a) & mantissa_mask) >> 17; }
    static float value(float a, Segment found) {
        constexpr TableFormat format{38, 13, 6114};
        const std::int32_t x = fixed_point(a), whole = x >> 23;
        const auto mantissa =
            static_cast<std::int32_t>(interpolate<format>(found, x & 0x1FFFF).upper >> (format.unit - 23 - 9));
        const std::int32_t power = mantissa + power_of_two(126 + whole);
        const std::int32_t finite = whole < -126 ? 0 : power;
        const std::int32_t result = whole > 127 ? infinity_bits : finite;
        return from_int_bits(a != a ? nan_bits_f32 : result);
    }
};

/// The sine, from `Quarters` quarters on, of an operand that was multiplied by 1/(2 pi) in f32, toward zero, as ptxas
/// has it. Turns are cut to multiples of 2^-25; in the second and fourth quarter, what is left of them is complemented.
template <int Quarters>
struct MufuSine {
    static constexpr auto rows = packed(sin_table);
    static std::int32_t fixed_point(float a) {
        const double turns = cut_to_24_bits(std::fabs(static_cast<double>(a) * 0x1.45f306p-3));
        const float all = static_cast<float>(turns), size = all < 0x1.0p23f ? all : 0.0f;
        const float whole = static_cast<float>(static_cast<std::int32_t>(size));
        return static_cast<std::int32_t>((size - whole) * 0x1.0p25f) + (Quarters << 23);
    }
    static std::int32_t place(std::int32_t fixed) { return (fixed ^ -(fixed >> 23 & 1)) & mantissa_mask; }
    static std::int32_t segment(float a) { return place(fixed_point(a)) >> 17; }
    static float value(float a, Segment found) {
        constexpr TableFormat format{37, 11, 0};
        const std::int32_t bits = int_bits(a), fixed = fixed_point(a), at = place(fixed);
        const std::int32_t sine =
            cut_to_f32(interpolate<format>(found, at & 0x1FFFF).value()) - power_of_two(format.unit);
        // Where a quarter begins, nothing is looked up.
        const std::int32_t of_begin = (fixed >> 23 & 1) != 0 ? one_bits : 0, not_zero = at == 0 ? 0 : sine;
        const std::int32_t size = (fixed & mantissa_mask) == 0 ? of_begin : not_zero;
        const std::int32_t sign = (Quarters == 0 ? bits & sign_bit : 0) ^ ((fixed >> 24 & 1) != 0 ? sign_bit : 0);
        return from_int_bits((bits & ~sign_bit) >= infinity_bits ? nan_bits_f32 : size | sign);
    }
};

/// The octaves from 2^-8 to 8 have 1 to 16 segments; below, the result is the operand, above it is 1.
struct MufuTanh {
    static constexpr int octaves = 11;
    struct WideSegment {
        std::int32_t c0, c1, c2;
    };
    /// 16 rows for each octave, some the same.
    static constexpr std::array<WideSegment, 16 * octaves> rows = [] {
        constexpr int segment_bits[octaves] = {0, 0, 0, 1, 1, 2, 2, 2, 3, 4, 3};
        std::array<WideSegment, 16 * octaves> all{};
        for (std::size_t octave = 0, first = 0; octave < octaves; first += std::size_t{1} << segment_bits[octave++]) {
            for (std::size_t i = 0; i < 16; ++i) {
                const std::size_t from = first + (i >> (4 - segment_bits[octave]));
                all[16 * octave + i] = {tanh_table.c0[from], tanh_table.c1[from], tanh_table.c2[from]};
            }
        }
        return all;
    }();
    static std::int32_t octave_of(std::int32_t bits) {
        const std::int32_t octave = (bits >> 23 & 0xFF) - 119, not_below = octave > 0 ? octave : 0;
        return not_below < octaves - 1 ? not_below : octaves - 1;
    }
    static std::int32_t segment(float a) {
        const std::int32_t bits = int_bits(a);
        return octave_of(bits) << 4 | (bits & mantissa_mask) >> 19;
    }
    static float value(float a, WideSegment found) {
        constexpr int unit = 39;
        // How many bits of the mantissa are not used, less 2, in three bits for each octave; the first three are alike.
        constexpr std::int32_t shifts = 01'0'1'2'2'2'3'3'4;
        const std::int32_t bits = int_bits(a), sign = bits & sign_bit, magnitude = bits & ~sign_bit;
        const std::int32_t octave = octave_of(bits), from_third = octave > 2 ? octave - 2 : 0;
        const std::int32_t rest = (bits & mantissa_mask) >> (2 + (shifts >> (3 * from_third) & 7)) & 0x1FFFF;
        // c2 is longer than in other tables: in 32 bits the sum would overflow.
        constexpr double step = static_cast<double>(1 << 15);
        const double square = static_cast<double>(found.c2) * static_cast<double>(truncated_square(rest));
        const double linear = static_cast<double>(found.c1) * static_cast<double>(rest);
        const std::int32_t curve =
            cut_to_f32(static_cast<double>(found.c0) * step + linear + square) - power_of_two(unit);
        const std::int32_t not_small = magnitude >= 0x41000000 ? one_bits : curve;
        const std::int32_t result = sign | (magnitude < 0x3B800000 ? magnitude : not_small);
        return from_int_bits(magnitude > infinity_bits ? nan_bits_f32 : result);
    }
};

/// What a function's table has of a segment.
template <class Function>
using RowOf = typename std::remove_cvref_t<decltype(Function::rows)>::value_type;

template <class Function, class... A>
auto evaluate(A... operands) {
    return Function::value(operands..., Function::rows[static_cast<std::size_t>(Function::segment(operands...))]);
}

// The seeds of f64 divisions and roots read and write the upper 32 bits of a double: the tables of f32, whose 23 bits
// of mantissa are cut to 20.

inline double from_upper_bits(std::int32_t bits) {
    return std::bit_cast<double>(static_cast<std::uint64_t>(static_cast<std::uint32_t>(bits)) << 32);
}
inline std::int32_t upper_bits(double value) {
    return static_cast<std::int32_t>(std::bit_cast<std::uint64_t>(value) >> 32);
}
inline constexpr std::int32_t upper_infinity = 0x7FF00000, upper_least_normal = 0x00100000;
/// From the bits of an f32 of the same value in [1/2, 1], by which power of two it is to be less.
inline std::int32_t upper_from_f32(std::int32_t bits, std::int32_t power) {
    return (bits >> 3) + ((1023 - 127 - power) << 20);
}

struct MufuRcp64h {
    static constexpr const auto& rows = MufuRcp::rows;
    static float mantissa(double a) { return from_int_bits((upper_bits(a) & 0xFFFFF) << 3 | one_bits); }
    static std::int32_t segment(double a) { return MufuRcp::segment(mantissa(a)); }
    static double value(double a, Segment found) {
        const std::int32_t bits = upper_bits(a), sign = bits & sign_bit, magnitude = bits & ~sign_bit;
        const std::int32_t inverse =
            upper_from_f32(int_bits(MufuRcp::value(mantissa(a), found)), (magnitude >> 20) - 1023);
        const std::int32_t normal = inverse < upper_least_normal || magnitude >= upper_infinity ? 0 : inverse;
        const std::int32_t result = sign | (magnitude < upper_least_normal ? upper_infinity : normal);
        return from_upper_bits(magnitude > upper_infinity ? nan_bits_f32 : result);
    }
};

struct MufuRsqrt64h {
    static constexpr const auto& rows = MufuRsqrt::rows;
    static float mantissa(double a) {
        const std::int32_t bits = upper_bits(a), is_even = bits >> 20 & 1;
        return from_int_bits((bits & 0xFFFFF) << 3 | (one_bits + power_of_two(1 - is_even)));
    }
    static std::int32_t segment(double a) { return MufuRsqrt::segment(mantissa(a)); }
    static double value(double a, Segment found) {
        const std::int32_t bits = upper_bits(a), sign = bits & sign_bit, magnitude = bits & ~sign_bit;
        const std::int32_t exponent = (magnitude >> 20) - 1023;
        const std::int32_t root = upper_from_f32(int_bits(MufuRsqrt::value(mantissa(a), found)), exponent >> 1);
        const std::int32_t of_number = bits < 0 || magnitude > upper_infinity ? nan_bits_f32 : root;
        const std::int32_t finite = magnitude < upper_least_normal ? sign | upper_infinity : of_number;
        return from_upper_bits(bits == upper_infinity ? 0 : finite);
    }
};

}  // namespace cudash::virtual_gpu::semantics
