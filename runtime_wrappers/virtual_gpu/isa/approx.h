// The .approx instructions. Hardware evaluates them with tables whose last bits NVIDIA does not publish; PTX gives
// error bounds and the results of special operands. Here each is the exact function, rounded to the result's format:
// well within every bound. Nothing of the host's libm is used, so that results are the same everywhere: +, *, fma,
// division and square root are exact by IEEE 754, and polynomials in double do the rest with an error below 2^-40.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "runtime_wrappers/virtual_gpu/isa/semantics_float.h"
#include "runtime_wrappers/virtual_gpu/isa/semantics_half.h"

namespace cudash::virtual_gpu::semantics {

/// c[0] + x * (c[1] + x * (...)). Unrolled by hand: a loop here would keep the loop over lanes from becoming vector
/// code.
template <int First = 0, int N>
inline double polynomial(const double (&coefficients)[N], double x) {
    if constexpr (First == N - 1) {
        return coefficients[First];
    } else {
        return std::fma(polynomial<First + 1>(coefficients, x), x, coefficients[First]);
    }
}

/// Adding and subtracting it rounds to a whole number, which then stands in the low bits of the sum.
inline constexpr double whole_number_magic = 0x1.8p52;

/// 2^x for |x| <= 1000; larger x are cut there, which every narrower format sees as infinity or zero.
inline double exp2_core(double x) {
    // ln(2)^k / k!
    static constexpr double series[] = {0x1.0000000000000p+0,  0x1.62e42fefa39efp-1,  0x1.ebfbdff82c58fp-3,
                                        0x1.c6b08d704a0c0p-5,  0x1.3b2ab6fba4e77p-7,  0x1.5d87fe78a6731p-10,
                                        0x1.430912f86c787p-13, 0x1.ffcbfc588b0c7p-17, 0x1.62c0223a5c824p-20,
                                        0x1.b5253d395e7c4p-24, 0x1.e4cf5158b8ecap-28, 0x1.e8cac7351bb25p-32,
                                        0x1.c3bd650fc2986p-36};
    const double low = x > -1000.0 ? x : -1000.0;
    const double cut = low < 1000.0 ? low : 1000.0;
    const double sum = cut + whole_number_magic;
    const double whole = sum - whole_number_magic;
    const std::uint64_t scale = (std::bit_cast<std::uint64_t>(sum) + 1023) << 52;
    return polynomial(series, cut - whole) * std::bit_cast<double>(scale);
}

/// log2(x) for finite x > 0 that is normal as double: x = 2^e * m with m in [sqrt(1/2), sqrt(2)), and
/// log2(m) = 2/ln(2) * atanh((m - 1) / (m + 1)), which keeps its relative error near m = 1.
inline double log2_core(double x) {
    static constexpr double series[] = {0x1.71547652b82fep+1, 0x1.ec709dc3a03fdp-1, 0x1.2776c50ef9bfep-1,
                                        0x1.a61762a7aded9p-2, 0x1.484b13d7c02a9p-2, 0x1.0c9a84994022dp-2,
                                        0x1.c68f568d31760p-3, 0x1.89f3b1694cffep-3, 0x1.5b9ac9b743f0dp-3};
    constexpr std::uint64_t root_half = 0x3FE6A09E667F3BCDu;
    const std::uint64_t bits = std::bit_cast<std::uint64_t>(x);
    // 1024 keeps the difference positive; 2^52's bits under a small integer are that integer plus 2^52, as double.
    const std::uint64_t biased = (bits - root_half + (std::uint64_t{1024} << 52)) >> 52;
    const double exponent = std::bit_cast<double>(0x4330000000000000u | biased) - (0x1.0p52 + 1024.0);
    const double mantissa = std::bit_cast<double>(bits - ((biased - 1024) << 52));
    const double s = (mantissa - 1.0) / (mantissa + 1.0);
    return std::fma(s, polynomial(series, s * s), exponent);
}

/// sin(2 pi t), or with `quarters` = 1 cos(2 pi t), for |t| < 2^50.
inline double sine_of_turns(double t, std::uint64_t quarters) {
    // (2 pi)^k / k! with alternating signs.
    static constexpr double sine[] = {0x1.921fb54442d18p+2,  -0x1.4abbce625be53p+5, 0x1.466bc6775aae2p+6,
                                      -0x1.32d2cce62bd86p+6, 0x1.50783487ee782p+5,  -0x1.e3074fde8871fp+3,
                                      0x1.e8f434d018d63p+1,  -0x1.6fadb9f155744p-1};
    static constexpr double cosine[] = {0x1.0000000000000p+0,  -0x1.3bd3cc9be45dep+4, 0x1.03c1f081b5ac4p+6,
                                        -0x1.55d3c7e3cbffap+6, 0x1.e1f506891babbp+5,  -0x1.a6d1f2a204a8cp+4,
                                        0x1.f9d38a3763cc3p+2,  -0x1.b6e24f44b128fp+0};
    const double sum = 4.0 * t + whole_number_magic;
    const double rest = t - 0.25 * (sum - whole_number_magic);
    const std::uint64_t quarter = std::bit_cast<std::uint64_t>(sum) + quarters;
    const double square = rest * rest;
    const double as_sine = rest * polynomial(sine, square), as_cosine = polynomial(cosine, square);
    const double value = (quarter & 1) != 0 ? as_cosine : as_sine;
    return (quarter & 2) != 0 ? -value : value;
}

/// tanh(x): (e - 1) / (e + 1) with e = exp(2x), which loses too many bits for small x; there its series.
inline double tanh_core(double x) {
    const double e = exp2_core(x * 0x1.71547652b82fep+1);
    const double square = x * x;
    const double small = x * std::fma(square, std::fma(square, 2.0 / 15.0, -1.0 / 3.0), 1.0);
    return std::fabs(x) < 0x1.0p-8 ? small : (e - 1.0) / (e + 1.0);
}

template <bool Ftz = false>
float rcp_approx_f32(float a) {
    return finish<Ftz, false>(1.0f / flush<Ftz>(a));
}
template <bool Ftz = false>
float sqrt_approx_f32(float a) {
    return sqrt_f32<Rounding::rn, Ftz>(a);
}
template <bool Ftz = false>
float rsqrt_approx_f32(float a) {
    return finish<Ftz, false>(static_cast<float>(1.0 / std::sqrt(static_cast<double>(flush<Ftz>(a)))));
}
/// "If |b| is in [2^126, 2^128], then if a is infinity, NaN is delivered, otherwise 0": 1/b is flushed to zero there.
template <bool Ftz = false>
float div_approx_f32(float a, float b) {
    if constexpr (Ftz) return mul_f32<Rounding::rn, true>(a, rcp_approx_f32<true>(b));
    const float large = a * std::copysign(0.0f, b), quotient = a / b;
    return canonical(std::fabs(b) > 0x1.0p126f ? large : quotient);
}
/// div.full: the full range, "maximum ulp error 2".
template <bool Ftz = false>
float div_full_f32(float a, float b) {
    return div_f32<Rounding::rn, Ftz>(a, b);
}
template <bool Ftz = false>
float ex2_approx_f32(float a) {
    const float power = static_cast<float>(exp2_core(flush<Ftz>(a)));
    return finish<Ftz, false>(a != a ? a : power);
}
template <bool Ftz = false>
float lg2_approx_f32(float a) {
    a = flush<Ftz>(a);
    const bool in_range = a > 0.0f && test_finite(a);
    const float special = a == 0.0f ? -std::numeric_limits<float>::infinity() : (a > 0.0f ? a : nan_f32);
    return finish<Ftz, false>(in_range ? static_cast<float>(log2_core(a)) : special);
}

/// The instructions multiply by 1/(2 pi) in f32, toward zero, and evaluate sine or cosine of that many turns: what they
/// give for large operands follows from the first step.
template <bool Ftz>
float turns_of(float a) {
    return mul_f32<Rounding::rz, Ftz>(a, 0x1.45f306p-3f);
}
template <bool Ftz, int Quarters>
float sine_or_cosine(float a) {
    const float turns = std::fabs(turns_of<Ftz>(a));
    // From 2^23 on every f32 is a whole number of turns.
    const float rest = turns < 0x1.0p23f ? turns : 0.0f;
    const float value = static_cast<float>(sine_of_turns(rest, Quarters));
    return finish<Ftz, false>(test_finite(a) ? value : nan_f32);
}
/// The sine of whole turns is a zero of the operand's sign, that of half a turn more one of the other sign.
template <bool Ftz = false>
float sin_approx_f32(float a) {
    const float value = sine_or_cosine<Ftz, 0>(a);
    return std::signbit(a) && test_finite(a) ? -value : value;
}
template <bool Ftz = false>
float cos_approx_f32(float a) {
    return sine_or_cosine<Ftz, 1>(a);
}
inline float tanh_approx_f32(float a) {
    const float value = static_cast<float>(tanh_core(a));
    return canonical(a == 0.0f || a != a ? a : value);
}

/// The half forms evaluate to a few more bits than they keep and cut those off. With these numbers of bits they agree
/// with a recorded H200: all of 4096 operands of ex2.f16, and all but 4 to 31 of tanh and of ex2.bf16, those by the
/// last bit.
template <Format F, int Bits, bool Ftz>
std::uint16_t cut_to_half(float value) {
    constexpr Format evaluated{Bits, 8, true, (1u << (Bits + 8)) - 1};
    constexpr float beyond = F.exponent_bits == 8 ? std::numeric_limits<float>::infinity() : 0x1.0p16f;
    const float rounded = widen<evaluated>(round_to<evaluated, Rounding::rn>(value));
    const std::uint32_t bits = rounded >= beyond ? F.infinity() : round_to<F, Rounding::rz>(rounded);
    return finish_half<F, Ftz, Clamp::none>(static_cast<std::uint16_t>(bits));
}
template <Format F, bool Ftz = false>
std::uint16_t ex2_approx_half(std::uint16_t a) {
    return cut_to_half<F, 20, Ftz>(ex2_approx_f32(read_half<F, Ftz>(a)));
}
template <Format F>
std::uint16_t tanh_approx_half(std::uint16_t a) {
    return cut_to_half<F, 16, false>(tanh_approx_f32(read_half<F, false>(a)));
}

/// rcp.approx.ftz.f64 and rsqrt.approx.ftz.f64 read and write the upper 32 bits alone; subnormal values count as zero.
inline double upper_half(double value) {
    const std::uint64_t bits = std::bit_cast<std::uint64_t>(value) & 0xFFFFFFFF00000000u;
    const bool is_subnormal = (bits & 0x7FF0000000000000u) == 0;
    return std::bit_cast<double>(is_subnormal ? bits & 0x8000000000000000u : bits);
}
inline double upper_half_result(double value) {
    return value != value ? std::bit_cast<double>(0x7FFFFFFF00000000u) : upper_half(value);
}
inline double rcp_approx_f64(double a) {
    return upper_half_result(1.0 / upper_half(a));
}
inline double rsqrt_approx_ftz_f64(double a) {
    return upper_half_result(1.0 / std::sqrt(upper_half(a)));
}
/// rsqrt.approx.f64, without .ftz: subnormal operands count.
inline double rsqrt_approx_f64(double a) {
    return propagate(1.0 / std::sqrt(a), a);
}

}  // namespace cudash::virtual_gpu::semantics
