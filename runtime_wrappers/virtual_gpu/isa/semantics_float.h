// Arithmetic on .f32 and .f64 (PTX ISA 9.7.3 "Floating Point Instructions", 9.7.5 "Comparison and Selection").
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

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
template <Rounding R, bool Ftz = false, bool Sat = false>
float mul_f32(float a, float b) {
    a = flush<Ftz>(a);
    b = flush<Ftz>(b);
    if constexpr (R == Rounding::rn) return finish<Ftz, Sat>(a * b);
    return finish<Ftz, Sat>(round_f32<R>(static_cast<double>(a) * b));
}
template <Rounding R, bool Ftz = false, bool Sat = false>
float fma_f32(float a, float b, float c) {
    a = flush<Ftz>(a);
    b = flush<Ftz>(b);
    c = flush<Ftz>(c);
    if constexpr (R == Rounding::rn) return finish<Ftz, Sat>(std::fma(a, b, c));
    return finish<Ftz, Sat>(sum_to_f32<R>(static_cast<double>(a) * b, c));
}
template <Rounding R, bool Ftz = false>
float div_f32(float a, float b) {
    a = flush<Ftz>(a);
    b = flush<Ftz>(b);
    if constexpr (R == Rounding::rn) return finish<Ftz, false>(a / b);
    return finish<Ftz, false>(round_f32<R>(div_odd(a, b)));
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

inline double canonical(double value) {
    return value != value ? nan_f64 : value;
}

template <Rounding R>
double add_f64(double a, double b) {
    if constexpr (R == Rounding::rn) return canonical(a + b);
    return canonical(add_f64_directed(R, a, b));
}
template <Rounding R>
double sub_f64(double a, double b) {
    return add_f64<R>(a, -b);
}
template <Rounding R>
double mul_f64(double a, double b) {
    if constexpr (R == Rounding::rn) return canonical(a * b);
    return canonical(mul_f64_directed(R, a, b));
}
template <Rounding R>
double fma_f64(double a, double b, double c) {
    if constexpr (R == Rounding::rn) return canonical(std::fma(a, b, c));
    return canonical(fma_f64_directed(R, a, b, c));
}
template <Rounding R>
double div_f64(double a, double b) {
    if constexpr (R == Rounding::rn) return canonical(a / b);
    return canonical(div_f64_directed(R, a, b));
}
template <Rounding R>
double rcp_f64(double a) {
    return div_f64<R>(1.0, a);
}
template <Rounding R>
double sqrt_f64(double a) {
    if constexpr (R == Rounding::rn) return canonical(std::sqrt(a));
    return canonical(sqrt_f64_directed(R, a));
}

template <bool Ftz = false>
float abs_f32(float a) {
    return finish<Ftz, false>(std::fabs(a));
}
template <bool Ftz = false>
float neg_f32(float a) {
    return finish<Ftz, false>(-a);
}
inline double abs_f64(double a) {
    return std::fabs(a);
}
inline double neg_f64(double a) {
    return -a;
}
/// "Copies the sign bit of a into the value of b": the operands stand the other way round than in C.
inline float copysign_f32(float a, float b) {
    return std::copysign(b, a);
}
inline double copysign_f64(double a, double b) {
    return std::copysign(b, a);
}

/// One NaN loses against a number, two give the canonical NaN; with Nan, one is enough. "-0.0 < +0.0".
template <class Real, bool Nan = false>
Real min_real(Real a, Real b) {
    const Real lesser = a < b || (a == b && std::signbit(a)) ? a : b;
    const Real number = a != a ? b : (b != b ? a : lesser);
    const bool is_nan = Nan ? a != a || b != b : a != a && b != b;
    return is_nan ? canonical(std::numeric_limits<Real>::quiet_NaN()) : number;
}
template <class Real, bool Nan = false>
Real max_real(Real a, Real b) {
    const Real greater = a > b || (a == b && !std::signbit(a)) ? a : b;
    const Real number = a != a ? b : (b != b ? a : greater);
    const bool is_nan = Nan ? a != a || b != b : a != a && b != b;
    return is_nan ? canonical(std::numeric_limits<Real>::quiet_NaN()) : number;
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
    if constexpr (XorSign) return xor_signs(min_real<float, Nan>(std::fabs(a), std::fabs(b)), a, b);
    return min_real<float, Nan>(a, b);
}
template <bool Ftz = false, bool Nan = false, bool XorSign = false>
float max_f32(float a, float b) {
    a = flush<Ftz>(a);
    b = flush<Ftz>(b);
    if constexpr (XorSign) return xor_signs(max_real<float, Nan>(std::fabs(a), std::fabs(b)), a, b);
    return max_real<float, Nan>(a, b);
}
inline double min_f64(double a, double b) {
    return min_real(a, b);
}
inline double max_f64(double a, double b) {
    return max_real(a, b);
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

// testp
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
bool test_normal(Real a) {
    return std::fabs(a) >= std::numeric_limits<Real>::min() && test_finite(a);
}
template <class Real>
bool test_subnormal(Real a) {
    return std::fabs(a) > 0 && std::fabs(a) < std::numeric_limits<Real>::min();
}

}  // namespace cudash::virtual_gpu::semantics
