// One way to round to any format in any mode. A result is first computed in double, rounded *to odd*: if inexact, its
// last bit is set. With at least two bits more than the target, rounding that once more gives what rounding the exact
// value would have given, in every mode (S. Boldo, G. Melquiond: "Emulation of FMA and correctly rounded sums").
// No floating-point environment is touched, and the code has no branches that depend on values.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace cudash::virtual_gpu::semantics {

/// .rn, .rz, .rm, .rp; .rna rounds ties away from zero (cvt to .tf32).
enum class Rounding : std::uint8_t { rn, rz, rm, rp, rna };

/// A binary format narrower than double. Values are the low bits of a std::uint32_t.
struct Format {
    int mantissa_bits;
    int exponent_bits;
    /// What stands above the largest finite value: infinity as IEEE 754 has it, or (.e4m3) nothing but NaN.
    bool has_infinity;
    std::uint32_t nan;  ///< the NaN that hardware produces

    constexpr int bias() const { return (1 << (exponent_bits - 1)) - 1; }
    constexpr int total_bits() const { return 1 + exponent_bits + mantissa_bits; }
    constexpr std::uint32_t sign() const { return 1u << (total_bits() - 1); }
    constexpr std::uint32_t infinity() const { return ((1u << exponent_bits) - 1) << mantissa_bits; }
    constexpr std::uint32_t largest() const { return has_infinity ? infinity() - 1 : nan - 1; }
};
inline constexpr Format format_f32{23, 8, true, 0x7FFFFFFF};
inline constexpr Format format_f16{10, 5, true, 0x7FFF};
inline constexpr Format format_bf16{7, 8, true, 0x7FFF};
inline constexpr Format format_e5m2{2, 5, true, 0x7F};
inline constexpr Format format_e4m3{3, 4, false, 0x7F};

/// Whether the magnitude `quotient` must grow by one: `rest` is what was cut off, `half` the middle of its range.
template <Rounding R, class U>
bool rounds_up(U quotient, U rest, U half, bool negative) {
    if constexpr (R == Rounding::rn) return rest > half || (rest == half && (quotient & 1) != 0);
    if constexpr (R == Rounding::rna) return rest >= half;
    if constexpr (R == Rounding::rm) return rest != 0 && negative;
    if constexpr (R == Rounding::rp) return rest != 0 && !negative;
    return false;
}

/// float or double to the bits of a narrower format. Overflow gives infinity, or the largest value where the mode or
/// `SatFinite` says so.
template <Format F, Rounding R, bool SatFinite = false, class Real>
inline std::uint32_t round_to(Real value) {
    using U = std::conditional_t<sizeof(Real) == 4, std::uint32_t, std::uint64_t>;
    constexpr int source_mantissa = sizeof(Real) == 4 ? 23 : 52;
    constexpr int source_bias = sizeof(Real) == 4 ? 127 : 1023;
    constexpr int width = sizeof(Real) * 8;
    constexpr int narrowing = source_mantissa - F.mantissa_bits;
    constexpr int rebias = source_bias - F.bias();

    const U bits = std::bit_cast<U>(value);
    const bool negative = (bits >> (width - 1)) != 0;
    const U magnitude = bits & ((U{1} << (width - 1)) - 1);
    const U field = magnitude >> source_mantissa;
    const int exponent = static_cast<int>(field != 0 ? field : 1) - rebias;  // biased as the target's are

    // Normal in the target: rounding may carry into the exponent. Subnormal: the whole significand moves down.
    const bool normal = exponent >= 1;
    const U significand = (magnitude & ((U{1} << source_mantissa) - 1)) | (field != 0 ? U{1} << source_mantissa : U{0});
    const int excess = normal ? 0 : 1 - exponent;
    const int shift = narrowing + (excess < source_mantissa + 2 ? excess : source_mantissa + 2);
    const int safe_shift = shift < width - 1 ? shift : width - 1;
    const U source = normal ? magnitude - (static_cast<U>(rebias) << source_mantissa) : significand;
    const U quotient = source >> safe_shift;
    const U rest = source - (quotient << safe_shift);
    const U half = U{1} << (safe_shift - 1);
    const U rounded = quotient + (rounds_up<R>(quotient, rest, half, negative) ? 1 : 0);

    constexpr U largest = F.largest();
    constexpr bool toward_zero = R == Rounding::rz;
    const bool keeps_finite =
        SatFinite || toward_zero || (R == Rounding::rm && !negative) || (R == Rounding::rp && negative);
    const bool is_infinite = field == (U{1} << (width - 1 - source_mantissa)) - 1;
    const bool is_nan = is_infinite && (magnitude & ((U{1} << source_mantissa) - 1)) != 0;
    const U beyond = F.has_infinity ? F.infinity() : F.nan;
    const U above = SatFinite || (keeps_finite && !is_infinite) ? largest : beyond;
    const U result = rounded > largest || is_infinite ? above : rounded;
    const std::uint32_t sign = negative ? F.sign() : 0u;
    return is_nan ? F.nan : static_cast<std::uint32_t>(result) | sign;
}

/// A narrow format's value, exactly, as float. NaN becomes the f32 NaN that hardware produces.
template <Format F>
inline float widen(std::uint32_t bits) {
    constexpr int narrowing = 23 - F.mantissa_bits;
    constexpr std::uint32_t magnitude_mask = F.sign() - 1;
    const std::uint32_t magnitude = bits & magnitude_mask;
    const std::uint32_t sign = (bits & F.sign()) << (32 - F.total_bits());
    // The power of two that the difference of the biases is worth also makes subnormal values normal.
    constexpr float scale = std::bit_cast<float>(static_cast<std::uint32_t>(127 + 127 - F.bias()) << 23);
    const float finite = std::bit_cast<float>(magnitude << narrowing) * scale;
    const std::uint32_t special = F.has_infinity && magnitude == F.infinity() ? 0x7F800000u : 0x7FFFFFFFu;
    const bool is_special = F.has_infinity ? magnitude >= F.infinity() : magnitude == F.nan;
    const bool is_nan = is_special && special == 0x7FFFFFFFu;
    const std::uint32_t result = is_special ? special : std::bit_cast<std::uint32_t>(finite);
    return std::bit_cast<float>(result | (is_nan ? 0u : sign));
}
/// bf16 is the upper half of f32.
template <>
inline float widen<format_bf16>(std::uint32_t bits) {
    const std::uint32_t wide = bits << 16;
    return std::bit_cast<float>((wide & 0x7FFFFFFFu) > 0x7F800000u ? 0x7FFFFFFFu : wide);
}

/// `value`, rounded to nearest, where the exact result is value + error and error is tiny: the same, rounded to odd.
template <class Real>
Real to_odd(Real value, Real error) {
    using U = std::conditional_t<sizeof(Real) == 4, std::uint32_t, std::uint64_t>;
    const U bits = std::bit_cast<U>(value);
    const bool away = (error > 0) == (value > 0);
    const bool adjust = error != 0 && (bits & 1) == 0 && std::fabs(value) <= std::numeric_limits<Real>::max();
    const U step = away ? U{1} : ~U{0};
    return std::bit_cast<Real>(adjust ? bits + step : bits);
}
/// a + b, rounded to odd (Knuth's TwoSum gives the error exactly).
template <class Real>
Real add_odd(Real a, Real b) {
    const Real sum = a + b;
    const Real b_part = sum - a;
    const Real error = (a - (sum - b_part)) + (b - b_part);
    return to_odd(sum, error);
}
/// a / b for a and b that are floats: the remainder is exact.
inline double div_odd(double a, double b) {
    const double quotient = a / b;
    const double remainder = std::fma(-quotient, b, a);
    return to_odd(quotient, b < 0 ? -remainder : remainder);
}
inline double sqrt_odd(double a) {
    const double root = std::sqrt(a);
    return to_odd(root, std::fma(-root, root, a));
}

template <Rounding R>
float round_f32(double odd) {
    if constexpr (R == Rounding::rn) return static_cast<float>(odd);
    return std::bit_cast<float>(round_to<format_f32, R>(odd));
}

}  // namespace cudash::virtual_gpu::semantics
