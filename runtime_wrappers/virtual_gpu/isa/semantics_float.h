// Arithmetic on .f32 and .f64 (PTX ISA 9.7.3 "Floating Point Instructions", 9.7.5 "Comparison and Selection").
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "runtime_wrappers/virtual_gpu/isa/semantics_rounding.h"

namespace cudash::virtual_gpu::semantics {

inline constexpr float nan_f32 = std::bit_cast<float>(0x7FFFFFFFu);
inline constexpr double nan_f64 = std::bit_cast<double>(0xFFF8000000000000u);

/// .ftz: a subnormal value becomes a zero of its sign.
template <bool Ftz>
float flush(float value) {
    if constexpr (!Ftz) return value;
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
    return std::bit_cast<float>((bits & 0x7F800000u) == 0 ? bits & 0x80000000u : bits);
}
/// "Single-precision instructions produce the canonical NaN 0x7fffffff" (PTX ISA 9.7.3).
inline float canonical(float value) {
    return value != value ? nan_f32 : value;
}
/// A NaN operand of .f64 comes out with its sign and payload, made quiet; that of b before
/// that of c before that of a, but (div is a sequence of instructions) the first one of a division.
inline double quiet(double nan) {
    return std::bit_cast<double>(std::bit_cast<std::uint64_t>(nan) | (std::uint64_t{1} << 51));
}
inline double propagate(double result, double a) {
    const double nan = a != a ? quiet(a) : nan_f64;
    return result != result ? nan : result;
}
inline double propagate(double result, double a, double b) {
    return propagate(result, b != b ? b : a);
}
inline double propagate(double result, double a, double b, double c) {
    return propagate(result, b != b ? b : (c != c ? c : a));
}
/// .sat: "clamps the result to [0.0, 1.0]; NaN results are flushed to +0.0f".
template <bool Sat>
float saturate(float value) {
    if constexpr (!Sat) return value;
    const float low = value > 0.0f ? value : 0.0f;
    return low < 1.0f ? low : 1.0f;
}
template <bool Ftz, bool Sat>
float finish(float value) {
    if constexpr (Sat) return saturate<true>(flush<Ftz>(value));
    return flush<Ftz>(canonical(value));
}

/// .ftz flushes a result that is subnormal before it is rounded to the few bits of a subnormal value: (1 - 2^-24) *
/// 2^-126 becomes zero, though it would round up to the least normal value. `scaled` is the same result times 2^24.
template <bool Ftz>
float flush_result(float result, float scaled) {
    if constexpr (!Ftz) return result;
    return std::fabs(scaled) < 0x1.0p-102f ? std::copysign(0.0f, result) : result;
}
inline constexpr float scale_up = 0x1.0p24f;

/// "Rounding toward -infinity, x + y == 0 exactly has the sign -": unless both are +0 (IEEE 754-2019 6.3).
template <Rounding R>
float sum_to_f32(double a, double b) {
    const float sum = round_f32<R>(add_odd<double>(a, b));
    if constexpr (R != Rounding::rm) return sum;
    const bool minus = std::signbit(a) || std::signbit(b);
    return sum == 0.0f && a + b == 0.0 ? (minus ? -0.0f : 0.0f) : sum;
}

template <Rounding R, bool Ftz = false, bool Sat = false>
float add_f32(float a, float b) {
    a = flush<Ftz>(a);
    b = flush<Ftz>(b);
    if constexpr (R == Rounding::rn) return finish<Ftz, Sat>(a + b);
    return finish<Ftz, Sat>(sum_to_f32<R>(a, b));
}
template <Rounding R, bool Ftz = false, bool Sat = false>
float sub_f32(float a, float b) {
    return add_f32<R, Ftz, Sat>(a, -b);
}
template <Rounding R>
float mul_rounded(float a, float b) {
    if constexpr (R == Rounding::rn) return a * b;
    return round_f32<R>(static_cast<double>(a) * b);
}
template <Rounding R, bool Ftz = false, bool Sat = false>
float mul_f32(float a, float b) {
    a = flush<Ftz>(a);
    b = flush<Ftz>(b);
    return finish<Ftz, Sat>(flush_result<Ftz>(mul_rounded<R>(a, b), mul_rounded<R>(a * scale_up, b)));
}
template <Rounding R>
float fma_rounded(float a, float b, float c) {
    if constexpr (R == Rounding::rn) return std::fma(a, b, c);
    return sum_to_f32<R>(static_cast<double>(a) * b, c);
}
template <Rounding R, bool Ftz = false, bool Sat = false>
float fma_f32(float a, float b, float c) {
    a = flush<Ftz>(a);
    b = flush<Ftz>(b);
    c = flush<Ftz>(c);
    const float result = fma_rounded<R>(a, b, c);
    return finish<Ftz, Sat>(flush_result<Ftz>(result, fma_rounded<R>(a * scale_up, b, c * scale_up)));
}
template <Rounding R>
float div_rounded(float a, float b) {
    if constexpr (R == Rounding::rn) return a / b;
    return round_f32<R>(div_odd(a, b));
}
template <Rounding R, bool Ftz = false>
float div_f32(float a, float b) {
    a = flush<Ftz>(a);
    b = flush<Ftz>(b);
    return finish<Ftz, false>(flush_result<Ftz>(div_rounded<R>(a, b), div_rounded<R>(a * scale_up, b)));
}
template <Rounding R, bool Ftz = false>
float rcp_f32(float a) {
    return div_f32<R, Ftz>(1.0f, a);
}
template <Rounding R, bool Ftz = false>
float sqrt_f32(float a) {
    a = flush<Ftz>(a);
    if constexpr (R == Rounding::rn) return finish<Ftz, false>(std::sqrt(a));
    return finish<Ftz, false>(round_f32<R>(sqrt_odd(a)));
}

/// f64 rounded up, down or to zero: one value at a time, through the host's rounding mode. Never Rounding::rn.
double add_f64_directed(Rounding rounding, double a, double b);
double mul_f64_directed(Rounding rounding, double a, double b);
double fma_f64_directed(Rounding rounding, double a, double b, double c);
double div_f64_directed(Rounding rounding, double a, double b);
double sqrt_f64_directed(Rounding rounding, double a);

template <Rounding R>
double add_f64(double a, double b) {
    if constexpr (R == Rounding::rn) return propagate(a + b, a, b);
    return propagate(add_f64_directed(R, a, b), a, b);
}
template <Rounding R>
double sub_f64(double a, double b) {
    if constexpr (R == Rounding::rn) return propagate(a - b, a, b);
    return propagate(add_f64_directed(R, a, -b), a, b);
}
template <Rounding R>
double mul_f64(double a, double b) {
    if constexpr (R == Rounding::rn) return propagate(a * b, a, b);
    return propagate(mul_f64_directed(R, a, b), a, b);
}
template <Rounding R>
double fma_f64(double a, double b, double c) {
    if constexpr (R == Rounding::rn) return propagate(std::fma(a, b, c), a, b, c);
    return propagate(fma_f64_directed(R, a, b, c), a, b, c);
}
/// The fma that isa/contraction.h makes of products and sums: its product or its addend negated. Halves are bits.
template <bool Negate, class T>
T with_sign(T value) {
    if constexpr (!Negate)
        return value;
    else if constexpr (std::is_same_v<T, std::uint16_t>)
        return static_cast<std::uint16_t>(value ^ 0x8000u);
    else
        return -value;
}

template <bool Ftz, bool Sat, bool Product, bool Addend>
float contracted_f32(float a, float b, float c) {
    return fma_f32<Rounding::rn, Ftz, Sat>(with_sign<Product>(a), b, with_sign<Addend>(c));
}
template <bool Product, bool Addend>
double contracted_f64(double a, double b, double c) {
    return fma_f64<Rounding::rn>(with_sign<Product>(a), b, with_sign<Addend>(c));
}
template <Rounding R>
double div_f64(double a, double b) {
    if constexpr (R == Rounding::rn) return propagate(a / b, b, a);
    return propagate(div_f64_directed(R, a, b), b, a);
}
template <Rounding R>
double rcp_f64(double a) {
    return div_f64<R>(1.0, a);
}
template <Rounding R>
double sqrt_f64(double a) {
    if constexpr (R == Rounding::rn) return propagate(std::sqrt(a), a);
    return propagate(sqrt_f64_directed(R, a), a);
}

template <bool Ftz = false>
float abs_f32(float a) {
    return finish<Ftz, false>(std::fabs(a));
}
template <bool Ftz = false>
float neg_f32(float a) {
    return finish<Ftz, false>(-a);
}
/// A NaN keeps its sign.
inline double abs_f64(double a) {
    return propagate(std::fabs(a), a);
}
inline double neg_f64(double a) {
    return propagate(-a, a);
}
/// "Copies the sign bit of a into the value of b": the operands stand the other way round than in C.
inline float copysign_f32(float a, float b) {
    return std::copysign(b, a);
}
inline double copysign_f64(double a, double b) {
    return std::copysign(b, a);
}

/// "-0.0 < +0.0"; the result if an operand is NaN is the caller's affair.
template <class Real>
Real lesser(Real a, Real b) {
    return a < b || (a == b && std::signbit(a)) ? a : b;
}
template <class Real>
Real greater(Real a, Real b) {
    return a > b || (a == b && !std::signbit(a)) ? a : b;
}
/// One NaN loses against a number, two give the canonical NaN; with Nan, one is enough.
template <bool Nan>
float prefer_number(float chosen, float a, float b) {
    const float number = a != a ? b : (b != b ? a : chosen);
    const bool is_nan = Nan ? a != a || b != b : a != a && b != b;
    return is_nan ? nan_f32 : number;
}
template <bool Nan>
float min_number(float a, float b) {
    return prefer_number<Nan>(lesser(a, b), a, b);
}
template <bool Nan>
float max_number(float a, float b) {
    return prefer_number<Nan>(greater(a, b), a, b);
}
/// .xorsign.abs: the minimum or maximum of the magnitudes with the exclusive-or of both signs.
inline float xor_signs(float magnitude, float a, float b) {
    const std::uint32_t sign = (std::bit_cast<std::uint32_t>(a) ^ std::bit_cast<std::uint32_t>(b)) & 0x80000000u;
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(magnitude);
    return magnitude != magnitude ? magnitude : std::bit_cast<float>(bits | sign);
}
template <bool Ftz = false, bool Nan = false, bool XorSign = false>
float min_f32(float a, float b) {
    a = flush<Ftz>(a);
    b = flush<Ftz>(b);
    if constexpr (XorSign) return xor_signs(min_number<Nan>(std::fabs(a), std::fabs(b)), a, b);
    return min_number<Nan>(a, b);
}
template <bool Ftz = false, bool Nan = false, bool XorSign = false>
float max_f32(float a, float b) {
    a = flush<Ftz>(a);
    b = flush<Ftz>(b);
    if constexpr (XorSign) return xor_signs(max_number<Nan>(std::fabs(a), std::fabs(b)), a, b);
    return max_number<Nan>(a, b);
}
/// Of two NaNs, the second comes out.
inline double prefer_number(double chosen, double a, double b) {
    const double number = a != a ? b : (b != b ? a : chosen);
    return propagate(number, number);
}
inline double min_f64(double a, double b) {
    return prefer_number(lesser(a, b), a, b);
}
inline double max_f64(double a, double b) {
    return prefer_number(greater(a, b), a, b);
}

// Comparisons of set, setp and slct. T is an integer, float or double; eq..ge are false if an operand is NaN
// ("ordered"), equ..geu true ("unordered"). lo, ls, hi, hs are lt, le, gt, ge of unsigned T.
template <class T>
bool compare_eq(T a, T b) {
    return a == b;
}
template <class T>
bool compare_ne(T a, T b) {
    return a < b || a > b;
}
template <class T>
bool compare_lt(T a, T b) {
    return a < b;
}
template <class T>
bool compare_le(T a, T b) {
    return a <= b;
}
template <class T>
bool compare_gt(T a, T b) {
    return a > b;
}
template <class T>
bool compare_ge(T a, T b) {
    return a >= b;
}
template <class T>
bool compare_equ(T a, T b) {
    return !compare_ne(a, b);
}
template <class T>
bool compare_neu(T a, T b) {
    return !compare_eq(a, b);
}
template <class T>
bool compare_ltu(T a, T b) {
    return !compare_ge(a, b);
}
template <class T>
bool compare_leu(T a, T b) {
    return !compare_gt(a, b);
}
template <class T>
bool compare_gtu(T a, T b) {
    return !compare_le(a, b);
}
template <class T>
bool compare_geu(T a, T b) {
    return !compare_lt(a, b);
}
template <class T>
bool compare_num(T a, T b) {
    return a == a && b == b;
}
template <class T>
bool compare_nan(T a, T b) {
    return !compare_num(a, b);
}

// testp. Zeros, which the PTX ISA's text on .normal leaves out ("not a subnormal, infinity or NaN"), are normal numbers
// on an H200.
template <class Real>
bool test_finite(Real a) {
    return std::fabs(a) <= std::numeric_limits<Real>::max();
}
template <class Real>
bool test_infinite(Real a) {
    return std::fabs(a) > std::numeric_limits<Real>::max();
}
template <class Real>
bool test_number(Real a) {
    return a == a;
}
template <class Real>
bool test_notanumber(Real a) {
    return a != a;
}
template <class Real>
bool test_subnormal(Real a) {
    return std::fabs(a) > 0 && std::fabs(a) < std::numeric_limits<Real>::min();
}
template <class Real>
bool test_normal(Real a) {
    return test_finite(a) && !test_subnormal(a);
}

}  // namespace cudash::virtual_gpu::semantics
