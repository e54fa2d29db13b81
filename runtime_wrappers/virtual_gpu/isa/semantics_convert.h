// cvt and cvt.pack (PTX ISA 9.7.9.22, 9.7.9.23), by kinds of types. Values of .f16, .bf16 and the 8-bit formats are
// bits.
// f32 or f64 to .f16, .bf16 and the like is round_to<format, rounding>(); an H200 ignores .ftz there but for .bf16.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "runtime_wrappers/virtual_gpu/isa/semantics_float.h"
#include "runtime_wrappers/virtual_gpu/isa/semantics_rounding.h"

namespace cudash::virtual_gpu::semantics {

/// Integer to integer: extended with the source's sign or cut; with Sat, limited to the target's range.
template <class To, bool Sat = false, class From>
To convert_integer(From value) {
    if constexpr (!Sat) return static_cast<To>(value);
    constexpr To least = std::numeric_limits<To>::min(), most = std::numeric_limits<To>::max();
    const bool below =
        std::is_signed_v<From> &&
        (std::is_signed_v<To> ? static_cast<std::int64_t>(value) < static_cast<std::int64_t>(least) : value < From{});
    const bool positive = !std::is_signed_v<From> || !(value < From{});
    const bool above = positive && static_cast<std::uint64_t>(value) > static_cast<std::uint64_t>(most);
    return below ? least : (above ? most : static_cast<To>(value));
}

/// .rni, .rzi, .rmi, .rpi: a whole number of the same type.
template <Rounding R, class Real>
Real round_to_whole(Real value) {
    if constexpr (R == Rounding::rz) return std::trunc(value);
    if constexpr (R == Rounding::rm) return std::floor(value);
    if constexpr (R == Rounding::rp) return std::ceil(value);
    // Not nearbyint(), which obeys the host's rounding mode: halfway cases go to the even neighbour.
    const Real magnitude = std::fabs(value);
    constexpr Real no_fraction = static_cast<Real>(1) / std::numeric_limits<Real>::epsilon();
    const Real below = std::floor(magnitude);
    const Real rest = magnitude - below;
    const bool odd = below - static_cast<Real>(2) * std::floor(below / static_cast<Real>(2)) != 0;
    const Real whole = rest > Real(0.5) || (rest == Real(0.5) && odd) ? below + 1 : below;
    return std::copysign(magnitude < no_fraction ? whole : magnitude, value);
}

/// What a NaN becomes: "zero if the source type is not .f64 and the destination type is not .s64, .u64. Otherwise
/// 1 << (BitWidth(dst) - 1)".
template <class To, bool FromF64>
constexpr To nan_as_integer() {
    constexpr bool is_zero = !FromF64 && sizeof(To) < 8;
    return is_zero ? To{0} : static_cast<To>(std::uint64_t{1} << (sizeof(To) * 8 - 1));
}
/// f32 or f64 (or a half, widened) to an integer: rounded, then limited to the target's range.
template <class To, Rounding R, bool Ftz = false, class Real>
To float_to_integer(Real value) {
    if constexpr (Ftz) value = flush<true>(value);
    const Real whole = round_to_whole<R>(value);
    constexpr To least = std::numeric_limits<To>::min(), most = std::numeric_limits<To>::max();
    // 2^bits, the first value beyond the range, is exact where the largest integer is not.
    constexpr Real limit = static_cast<Real>(most / 2 + 1) * static_cast<Real>(2);
    const bool below = whole < static_cast<Real>(least), above = whole >= limit, is_nan = value != value;
    const Real safe = below || above || is_nan ? Real(0) : whole;
    const To inside = static_cast<To>(safe);
    return is_nan ? nan_as_integer<To, sizeof(Real) == 8>() : (below ? least : (above ? most : inside));
}

/// An integer of at most 64 bits as double, rounded to odd: exact below 2^53.
template <class Integer>
double integer_to_odd(Integer value) {
    if constexpr (sizeof(Integer) <= 4) return static_cast<double>(value);
    const bool negative = value < Integer{};
    const std::uint64_t magnitude =
        negative ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
    // A value that needs more than 53 bits loses its lowest eleven; if any is set, the lowest that stays is set too.
    const std::uint64_t cut = magnitude & 0x7FF;
    const bool large = magnitude >> 53 != 0;
    const std::uint64_t odd = (magnitude - cut) | (cut != 0 ? 0x800 : 0);
    const double result = static_cast<double>(large ? odd : magnitude);
    return negative ? -result : result;
}
template <Format F, Rounding R, bool SatFinite = false, class Integer>
std::uint32_t integer_to(Integer value) {
    return round_to<F, R, SatFinite>(integer_to_odd(value));
}
template <Rounding R, class Integer>
float integer_to_f32(Integer value) {
    if constexpr (R == Rounding::rn) return static_cast<float>(value);
    return round_f32<R>(integer_to_odd(value));
}
template <Rounding R, class Integer>
double integer_to_f64(Integer value) {
    if constexpr (R == Rounding::rn || sizeof(Integer) <= 4) return static_cast<double>(value);
    const bool negative = value < Integer{};
    const std::uint64_t magnitude =
        negative ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
    const int excess = 11 - std::countl_zero(magnitude | 1);
    const int shift = excess > 0 ? excess : 0;
    const std::uint64_t quotient = magnitude >> shift, rest = magnitude - (quotient << shift);
    const std::uint64_t half = (std::uint64_t{1} << shift) >> 1;
    const std::uint64_t rounded = quotient + (rounds_up<R>(quotient, rest, half, negative) ? 1 : 0);
    const double result = static_cast<double>(rounded) * static_cast<double>(std::uint64_t{1} << shift);
    return negative ? -result : result;
}

template <Rounding R, bool Ftz = false, bool Sat = false>
float f64_to_f32(double value) {
    // A NaN keeps its sign and its upper payload.
    const auto bits = std::bit_cast<std::uint64_t>(value);
    const auto sign = static_cast<std::uint32_t>(bits >> 32) & 0x80000000;
    const auto payload = static_cast<std::uint32_t>(bits >> 29) & 0x3FFFFF;
    const float number = round_f32<R>(value), nan = std::bit_cast<float>(sign | 0x7FC00000 | payload);
    const float narrow = value != value ? nan : number;
    if constexpr (Sat) return saturate<true>(flush<Ftz>(narrow));
    return flush<Ftz>(narrow);
}
/// A NaN keeps its sign and payload, unless .ftz makes it canonical.
template <bool Ftz = false>
double f32_to_f64(float value) {
    const double wide = Ftz ? canonical(flush<true>(value)) : value;
    return wide != wide ? quiet(wide) : wide;
}
/// cvt.f64.f16 and .bf16: exact, and as for f32 a NaN keeps its sign and payload.
template <Format F>
double half_to_f64(std::uint16_t value) {
    const float wide = widen<F>(value);
    if (wide == wide) return wide;
    const std::uint64_t sign = std::uint64_t{(value & F.sign()) != 0} << 63;
    const std::uint64_t payload = value & ((1u << F.mantissa_bits) - 1);
    return quiet(std::bit_cast<double>(sign | 0x7FF0000000000000u | payload << (52 - F.mantissa_bits)));
}
/// cvt.f32.f32: without modifiers it only copies.
template <bool Ftz = false, bool Sat = false>
float f32_to_f32(float value) {
    if constexpr (!Ftz && !Sat) return value;
    return finish<Ftz, Sat>(flush<Ftz>(value));
}
/// ... and rounded to a whole number: cvt.rni.f32.f32.
template <Rounding R, bool Ftz = false, bool Sat = false>
float f32_to_whole(float value) {
    return finish<Ftz, Sat>(round_to_whole<R>(flush<Ftz>(value)));
}
template <Rounding R>
double f64_to_whole(double value) {
    return propagate(round_to_whole<R>(value), value);
}
/// .sat to f64: as for f32.
inline double saturate_f64(double value) {
    const double low = value > 0.0 ? value : 0.0;
    return low < 1.0 ? low : 1.0;
}

/// cvt.rna.tf32.f32 and its kin: f32 with a mantissa of 10 bits, the lower 13 zero. Only .rna keeps a NaN's upper
/// payload; what .satfinite does to the bits of infinity, it does to those of a NaN, too: the next lower value.
template <Rounding R, bool Relu = false, bool SatFinite = false>
std::uint32_t f32_to_tf32(float value) {
    constexpr Format format_tf32{10, 8, true, 0x3FFFF};
    if (R == Rounding::rna && value != value)
        return (std::bit_cast<std::uint32_t>(value) & 0xFFFFE000u) - (SatFinite ? 0x2000u : 0);
    const std::uint32_t bits = round_to<format_tf32, R, SatFinite>(value) << 13;
    return Relu && (bits >> 31) != 0 ? 0u : bits;
}

/// Bits of a format with .relu applied: "negative values become 0, NaN the canonical NaN".
template <Format F>
std::uint32_t relu_bits(std::uint32_t bits) {
    return (bits & F.sign()) != 0 ? 0u : bits;
}
/// cvt.rn.f16x2.f32 d, a, b and its kin: a goes to the upper half, b to the lower. For .e4m3x2 and .e5m2x2 the halves
/// are bytes.
template <Format F, Rounding R, bool SatFinite, bool Relu, class Real>
std::uint32_t convert_pair(Real a, Real b) {
    std::uint32_t high = round_to<F, R, SatFinite>(a), low = round_to<F, R, SatFinite>(b);
    if constexpr (Relu) {
        high = relu_bits<F>(high);
        low = relu_bits<F>(low);
    }
    return low | (high << F.total_bits());
}
/// cvt.rn.f16x2.e4m3x2: each byte is exact as .f16.
template <Format F>
std::uint32_t fp8_pair_to_f16x2(std::uint16_t pair) {
    const std::uint32_t low = round_to<format_f16, Rounding::rn>(widen<F>(pair & 0xFF));
    const std::uint32_t high = round_to<format_f16, Rounding::rn>(widen<F>(pair >> 8));
    return low | (high << 16);
}

/// cvt.pack.sat: a and b limited to `bits`-bit signed or unsigned values, b lowest, a above it, and c on top of both.
inline std::uint32_t pack_saturated(std::int64_t a, std::int64_t b, std::uint32_t c, std::uint32_t bits,
                                    bool is_signed) {
    const std::int64_t most = (std::int64_t{1} << (is_signed ? bits - 1 : bits)) - 1;
    const std::int64_t least = is_signed ? -most - 1 : 0;
    const auto limit = [&](std::int64_t value) { return value < least ? least : (value > most ? most : value); };
    const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
    const std::uint64_t low = static_cast<std::uint64_t>(limit(b)) & mask,
                        high = static_cast<std::uint64_t>(limit(a)) & mask;
    return static_cast<std::uint32_t>(low | (high << bits) | (std::uint64_t{c} << (2 * bits)));
}

/// What a register holds after a result of type To was written: the result with its sign or zeros above it.
template <class To>
using Extended =
    std::conditional_t<sizeof(To) >= 4, To, std::conditional_t<std::is_signed_v<To>, std::int32_t, std::uint32_t>>;

template <class To, class From, bool Sat>
Extended<To> integer_to_integer(From value) {
    return convert_integer<To, Sat>(value);
}
template <class To, Rounding R, bool Ftz, class Real>
Extended<To> real_to_integer(Real value) {
    return float_to_integer<To, R, Ftz>(value);
}
template <class To, Rounding R, Format F>
Extended<To> half_to_integer(std::uint16_t value) {
    return float_to_integer<To, R>(widen<F>(value));
}

/// The source register is wider than the source type: its lower part counts.
template <class To, class From>
Extended<To> low_part_to_integer(std::uint64_t value) {
    return convert_integer<To>(static_cast<From>(value));
}

/// The result's register is wider than its type: the result with its sign or zeros above it.
template <class To, class From>
std::conditional_t<std::is_signed_v<To>, std::int64_t, std::uint64_t> integer_to_wide_register(From value) {
    return convert_integer<To>(value);
}
template <class To, class From>
std::conditional_t<std::is_signed_v<To>, std::int64_t, std::uint64_t> low_part_to_wide_register(std::uint64_t value) {
    return convert_integer<To>(static_cast<From>(value));
}

template <Rounding R, class From, bool Sat>
float integer_to_single(From value) {
    return saturate<Sat>(integer_to_f32<R>(value));
}
template <Rounding R, class From, bool Sat = false>
double integer_to_double(From value) {
    const double result = integer_to_f64<R>(value);
    return Sat ? saturate_f64(result) : result;
}

}  // namespace cudash::virtual_gpu::semantics
