// The sums of semantics_tensor.h for elements whose exponents are moderate, as nearly all are: there, products are
// exact in .f32, and what is cut from them fits in integers of 32 bits. The results are the same, bit for bit.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

namespace cudash::virtual_gpu::semantics {

/// A matrix, and for each element the power of two of its exponent, or 0 of a zero (TensorOperand).
struct ModerateOperand {
    static constexpr unsigned most_elements = 512;
    alignas(64) float value[most_elements];
    alignas(64) float power[most_elements];

    /// False: the exponent of an element lies outside of least to most, or it has none. `least_encoded`: a subnormal
    /// element has that exponent.
    bool find_powers(unsigned count, int least_encoded, int least, int most) {
        constexpr unsigned bias = 127, fraction_bits = 23;
        const auto field = [](int exponent) { return (static_cast<unsigned>(exponent) + bias) << fraction_bits; };
        const unsigned at_least = field(least_encoded), begin = field(least), span = field(most) - begin;
        unsigned outside = 0;
        for (unsigned i = 0; i < count; ++i) {
            const unsigned bits = std::bit_cast<unsigned>(value[i]);
            const unsigned power_bits = std::max(bits & field(128), at_least);
            const bool is_zero = bits << 1 == 0;
            power[i] = std::bit_cast<float>(is_zero ? 0u : power_bits);
            outside |= !is_zero && power_bits - begin > span;
        }
        return outside == 0;
    }
};

/// What elements of a and b may be, and sums: their products are normal numbers then, as is all that is left of them.
constexpr int least_moderate = -30, most_moderate = 30;
constexpr int least_moderate_sum = -60, most_moderate_sum = 60;

/// So many numbers, which the processor handles together.
template <class Number, unsigned Count>
using Vector [[gnu::vector_size(sizeof(Number) * Count), gnu::aligned(sizeof(Number)), gnu::may_alias]] = Number;

/// `Columns` elements of a row of a * b + c: exact sums. `a_first`: the first of `Depth` elements of a's row;
/// `b_first`: the first element of b that meets it, whose rows have `b_columns`. `c`, `c_power`: of the elements.
template <unsigned Columns, unsigned Depth>
inline void add_moderate_row(const ModerateOperand& a, unsigned a_first, const ModerateOperand& b, unsigned b_first,
                             unsigned b_columns, const float* c, const float* c_power, double* sums) {
    static_assert(Depth <= 16);
    using Reals = Vector<float, Columns>;
    using Integers = Vector<std::int32_t, Columns>;
    using Doubles = Vector<double, Columns>;
    const auto reals = [](const float* at) -> const Reals& { return *reinterpret_cast<const Reals*>(at); };
    Reals largest = reals(c_power);
    for (unsigned k = 0; k < Depth; ++k) {
        const Reals power = a.power[a_first + k] * reals(&b.power[b_first + k * b_columns]);
        largest = power > largest ? power : largest;
    }
    constexpr float kept = 0x1.0p25f;
    constexpr std::int32_t one_by_kept = static_cast<std::int32_t>((2 * 127u + 25) << 23);
    const Reals scale = reinterpret_cast<Reals>(one_by_kept - reinterpret_cast<Integers>(largest));  // kept / largest
    // Each is the sum of at most eight products below 2^27, and c.
    const Reals third = reals(c) * scale;
    Integers lower = __builtin_convertvector(third, Integers), upper = lower - lower;
    for (unsigned k = 0; k < Depth; ++k) {
        const Reals product = a.value[a_first + k] * reals(&b.value[b_first + k * b_columns]) * scale;
        (k < 8 ? lower : upper) += __builtin_convertvector(product, Integers);
    }
    Doubles all = __builtin_convertvector(lower, Doubles);
    if constexpr (Depth > 8) all += __builtin_convertvector(upper, Doubles);
    *reinterpret_cast<Doubles*>(sums) = all * __builtin_convertvector(largest * (1 / kept), Doubles);
}

/// cut_to_f32 of a sum of moderate numbers, which is 0 or normal.
inline float cut_moderate(double sum) {
    constexpr unsigned dropped = 52 - 23;
    return static_cast<float>(std::bit_cast<double>(std::bit_cast<std::uint64_t>(sum) >> dropped << dropped));
}

/// A sum as .f32, rounded to odd: what it is then rounded to with fewer bits is as if it had been rounded once.
inline std::uint32_t odd_moderate(double sum) {
    const bool inexact = sum != static_cast<double>(cut_moderate(sum));
    return std::bit_cast<std::uint32_t>(cut_moderate(sum)) | (inexact ? 1u : 0u);
}

/// .f32 of moderate size to .f16, to nearest; without a sign where it is 0, as tensor cores have it.
inline std::uint32_t half_from_moderate(std::uint32_t bits) {
    const std::uint32_t magnitude = bits & 0x7FFFFFFF;
    const std::uint32_t normal = (magnitude - 0x38000000u + 0xFFF + (magnitude >> 13 & 1)) >> 13;
    // Multiples of 2^-24 are what remains of a fraction of one half.
    const std::uint32_t subnormal =
        std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) + 0.5f) - std::bit_cast<std::uint32_t>(0.5f);
    const std::uint32_t made = magnitude < 0x38800000u ? subnormal : std::min(normal, 0x7C00u);
    return made == 0 ? 0 : made | (bits >> 16 & 0x8000);
}

}  // namespace cudash::virtual_gpu::semantics
