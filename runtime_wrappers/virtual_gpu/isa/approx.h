// The .approx instructions: what ptxas makes of them for sm_90, around the special function unit.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "runtime_wrappers/virtual_gpu/isa/semantics_float.h"
#include "runtime_wrappers/virtual_gpu/isa/semantics_half.h"
#include "runtime_wrappers/virtual_gpu/isa/special_function_unit.h"

namespace cudash::virtual_gpu::semantics {

inline constexpr float least_normal_f32 = std::numeric_limits<float>::min();

// With .ftz, MUFU is all there is. Without, ptxas scales operands that are subnormal and results that would be.

/// MUFU of the operand times a power of two, times another one.
template <class Mufu, float (*Before)(float), float (*After)(float)>
struct Scaled {
    static constexpr const auto& rows = Mufu::rows;
    static std::int32_t segment(float a) { return Mufu::segment(a * Before(a)); }
    static float value(float a, Segment found) { return Mufu::value(a * Before(a), found) * After(a); }
};
inline bool is_subnormal(float a) {
    return std::fabs(a) < least_normal_f32;
}
inline float subnormal_scale(float a) {
    return is_subnormal(a) ? 0x1.0p24f : 1.0f;
}
inline float rsqrt_scale(float a) {
    return is_subnormal(a) ? 0x1.0p12f : 1.0f;
}
inline float sqrt_scale(float a) {
    return is_subnormal(a) ? 0x1.0p-12f : 1.0f;
}
/// What brings a divisor to where its reciprocal is normal.
inline float divisor_scale(float b) {
    const float of_large = std::fabs(b) > 0x1.0p126f ? 0.25f : 1.0f;
    return is_subnormal(b) ? 0x1.0p24f : of_large;
}

template <bool Ftz>
using RcpApprox = std::conditional_t<Ftz, MufuRcp, Scaled<MufuRcp, divisor_scale, divisor_scale>>;
template <bool Ftz>
using RsqrtApprox = std::conditional_t<Ftz, MufuRsqrt, Scaled<MufuRsqrt, subnormal_scale, rsqrt_scale>>;
template <bool Ftz>
using SqrtApprox = std::conditional_t<Ftz, MufuSqrt, Scaled<MufuSqrt, subnormal_scale, sqrt_scale>>;

/// A quotient is the product with the reciprocal; `Scale` is by what both are multiplied first.
template <bool Ftz, float (*Scale)(float)>
struct Quotient {
    static constexpr const auto& rows = MufuRcp::rows;
    static std::int32_t segment(float, float b) { return MufuRcp::segment(b * Scale(b)); }
    struct Factors {
        float dividend, reciprocal;
    };
    static Factors factors(float a, float b, Segment found) {
        const float scale = Scale(b);
        return {flush<Ftz>(flush<Ftz>(a) * scale), MufuRcp::value(b * scale, found)};
    }
    static float value(float a, float b, Segment found) {
        const Factors of = factors(a, b, found);
        return mul_f32<Rounding::rn, Ftz>(of.dividend, of.reciprocal);
    }
};
/// "If |b| is in [2^126, 2^128], then if a is infinity, NaN is delivered, otherwise 0": the reciprocal is zero there.
template <bool Ftz>
float div_approx_scale(float b) {
    return Ftz ? 1.0f : subnormal_scale(b);
}
template <bool Ftz>
float div_full_scale(float b) {
    return std::fabs(b) > 0x1.0p126f ? 0.25f : div_approx_scale<Ftz>(b);
}
template <bool Ftz>
using DivApprox = Quotient<Ftz, div_approx_scale<Ftz>>;
/// div.full: the full range, "maximum ulp error 2".
template <bool Ftz>
using DivFull = Quotient<Ftz, div_full_scale<Ftz>>;

template <bool Ftz>
struct Lg2Approx : MufuLg2 {
    static std::int32_t segment(float a) { return MufuLg2::segment(a * subnormal_scale(a)); }
    static float value(float a, Segment found) {
        const float logarithm = MufuLg2::value(a * subnormal_scale(a), found);
        return canonical(logarithm - (is_subnormal(a) ? 24.0f : 0.0f));
    }
};
template <>
struct Lg2Approx<true> : MufuLg2 {};

template <bool Ftz>
struct Ex2Approx : MufuEx2 {
    static float halved(float a) { return a * (a < -126.0f ? 0.5f : 1.0f); }
    static std::int32_t segment(float a) { return MufuEx2::segment(halved(a)); }
    static float value(float a, Segment found) {
        const float power = MufuEx2::value(halved(a), found);
        return power * (a < -126.0f ? power : 1.0f);
    }
};
template <>
struct Ex2Approx<true> : MufuEx2 {};

using SinApprox = MufuSine<0>;
using CosApprox = MufuSine<1>;
using TanhApprox = MufuTanh;

/// The half forms are those of f32, cut to the bits of a half.
template <class Mufu, Format F, bool Ftz = false>
struct OfHalf {
    static constexpr const auto& rows = Mufu::rows;
    static std::int32_t segment(std::uint16_t a) { return Mufu::segment(read_half<F, Ftz>(a)); }
    static std::uint16_t value(std::uint16_t a, RowOf<Mufu> found) {
        constexpr float beyond = F.exponent_bits == 8 ? std::numeric_limits<float>::infinity() : 0x1.0p16f;
        const float result = Mufu::value(read_half<F, Ftz>(a), found);
        const std::uint32_t bits = result >= beyond ? F.infinity() : round_to<F, Rounding::rz>(result);
        return finish_half<F, Ftz, Clamp::none>(static_cast<std::uint16_t>(bits));
    }
};

/// rsqrt.approx.f64, without .ftz: one step of an iteration of third order from the seed. Subnormal operands count.
struct RsqrtApproxF64 {
    static constexpr const auto& rows = MufuRsqrt64h::rows;
    static double scaled(double a) { return a * (std::fabs(a) < 0x1.0p-1022 ? 0x1.0p54 : 1.0); }
    static std::int32_t segment(double a) { return MufuRsqrt64h::segment(scaled(a)); }
    static double value(double a, Segment found) {
        const double x = scaled(a), seed = MufuRsqrt64h::value(x, found), error = std::fma(x, -(seed * seed), 1.0);
        const double root = std::fma(std::fma(error, 0.375, 0.5), seed * error, seed);
        const double normal = root * (std::fabs(a) < 0x1.0p-1022 ? 0x1.0p27 : 1.0);
        const double of_number = a < 0 ? nan_f64 : (a == std::numeric_limits<double>::infinity() ? 0.0 : normal);
        const double finite = a == 0 ? std::copysign(std::numeric_limits<double>::infinity(), a) : of_number;
        return a != a ? quiet(a) : finite;
    }
};

}  // namespace cudash::virtual_gpu::semantics
