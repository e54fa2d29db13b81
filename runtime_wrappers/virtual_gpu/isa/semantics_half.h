// Arithmetic on .f16 and .bf16, one value at a time (PTX ISA 9.7.4 "Half Precision Floating Point"); each_half() makes
// the x2 forms of them. A value is its 16 bits; F is format_f16 or format_bf16.
//
// Each result is rounded once. Sums are computed in f32, whose 24 bits make the second rounding harmless
// (24 >= 2 * 11 + 2; a sum is never finer than its operands). Products of .f16 are exact in f32; those of .bf16 can be
// too small for it, so they are computed in double. Fused operations add to the exact product, rounded to odd.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "runtime_wrappers/virtual_gpu/isa/semantics_float.h"
#include "runtime_wrappers/virtual_gpu/isa/semantics_rounding.h"

namespace cudash::virtual_gpu::semantics {

template <Format F>
std::uint16_t flush_half(std::uint16_t bits) {
    return (bits & F.infinity()) == 0 ? static_cast<std::uint16_t>(bits & F.sign()) : bits;
}
/// An operand as float, exactly.
template <Format F, bool Ftz>
float read_half(std::uint16_t bits) {
    return widen<F>(Ftz ? flush_half<F>(bits) : bits);
}

/// What happens to a result before it is written: .ftz, then .sat or .relu.
enum class Clamp : std::uint8_t { none, sat, relu };
template <Format F, bool Ftz, Clamp C>
std::uint16_t finish_half(std::uint16_t bits) {
    constexpr std::uint16_t one = static_cast<std::uint16_t>(F.bias() << F.mantissa_bits);
    const std::uint16_t value = Ftz ? flush_half<F>(bits) : bits;
    const bool negative = (value & F.sign()) != 0;
    const bool is_nan = (value & (F.sign() - 1)) > F.infinity();
    // "NaN results are flushed to +0.0" by .sat; .relu "clamps to 0 if negative; NaN is converted to canonical NaN".
    if constexpr (C == Clamp::sat) return is_nan || negative ? 0 : (value > one ? one : value);
    if constexpr (C == Clamp::relu) return is_nan ? value : (negative ? 0 : value);
    return value;
}
/// Rounds `value`, which is exact or rounded to odd. .ftz flushes what is subnormal before it loses bits for that.
template <Format F, bool Ftz, Clamp C, class Real>
std::uint16_t write_half(Real value) {
    const std::uint32_t bits = round_to<F, Rounding::rn>(value != value ? Real(nan_f32) : value);
    const std::uint32_t scaled = round_to<F, Rounding::rn>(value * Real(4)) & (F.sign() - 1);
    constexpr std::uint32_t least_normal_scaled = 3u << F.mantissa_bits;
    const bool flushed = Ftz && scaled < least_normal_scaled;
    return finish_half<F, Ftz, C>(static_cast<std::uint16_t>(flushed ? bits & F.sign() : bits));
}

template <Format F, bool Ftz = false, Clamp C = Clamp::none>
std::uint16_t add_half(std::uint16_t a, std::uint16_t b) {
    return write_half<F, Ftz, C>(read_half<F, Ftz>(a) + read_half<F, Ftz>(b));
}
template <Format F, bool Ftz = false, Clamp C = Clamp::none>
std::uint16_t sub_half(std::uint16_t a, std::uint16_t b) {
    return write_half<F, Ftz, C>(read_half<F, Ftz>(a) - read_half<F, Ftz>(b));
}
/// The type in which every product of two values is exact.
template <Format F>
using ProductOf = std::conditional_t<F.exponent_bits == 8, double, float>;
template <Format F, bool Ftz = false, Clamp C = Clamp::none>
std::uint16_t mul_half(std::uint16_t a, std::uint16_t b) {
    return write_half<F, Ftz, C>(static_cast<ProductOf<F>>(read_half<F, Ftz>(a)) * read_half<F, Ftz>(b));
}
template <Format F, bool Ftz = false, Clamp C = Clamp::none>
std::uint16_t fma_half(std::uint16_t a, std::uint16_t b, std::uint16_t c) {
    const ProductOf<F> product = static_cast<ProductOf<F>>(read_half<F, Ftz>(a)) * read_half<F, Ftz>(b);
    return write_half<F, Ftz, C>(add_odd<ProductOf<F>>(product, read_half<F, Ftz>(c)));
}
/// .oob "clamps the result to 0 if either of the operands is OOB NaN", the one that tensor copies fill with.
template <Format F, Clamp C>
std::uint16_t fma_half_oob(std::uint16_t a, std::uint16_t b, std::uint16_t c) {
    constexpr std::uint16_t oob_nan = 0xFFF7;  // measured on an H200
    return a == oob_nan || b == oob_nan ? 0 : fma_half<F, false, C>(a, b, c);
}
/// The sign set or changed; a NaN becomes the canonical one.
template <Format F, bool Ftz = false>
std::uint16_t abs_half(std::uint16_t a) {
    return write_half<F, Ftz, Clamp::none>(std::fabs(read_half<F, Ftz>(a)));
}
template <Format F, bool Ftz = false>
std::uint16_t neg_half(std::uint16_t a) {
    return write_half<F, Ftz, Clamp::none>(-read_half<F, Ftz>(a));
}
template <Format F>
std::uint16_t xor_half_signs(std::uint16_t magnitude, std::uint16_t a, std::uint16_t b) {
    const std::uint32_t sign = (a ^ b) & F.sign();
    return static_cast<std::uint16_t>(magnitude > F.infinity() ? magnitude : magnitude | sign);
}
template <Format F, bool Ftz = false, bool Nan = false, bool XorSign = false>
std::uint16_t min_half(std::uint16_t a, std::uint16_t b) {
    const float x = read_half<F, Ftz>(a), y = read_half<F, Ftz>(b);
    if constexpr (!XorSign) return write_half<F, false, Clamp::none>(min_number<Nan>(x, y));
    const float least = min_number<Nan>(std::fabs(x), std::fabs(y));
    return xor_half_signs<F>(write_half<F, false, Clamp::none>(least), a, b);
}
template <Format F, bool Ftz = false, bool Nan = false, bool XorSign = false>
std::uint16_t max_half(std::uint16_t a, std::uint16_t b) {
    const float x = read_half<F, Ftz>(a), y = read_half<F, Ftz>(b);
    if constexpr (!XorSign) return write_half<F, false, Clamp::none>(max_number<Nan>(x, y));
    const float most = max_number<Nan>(std::fabs(x), std::fabs(y));
    return xor_half_signs<F>(write_half<F, false, Clamp::none>(most), a, b);
}

}  // namespace cudash::virtual_gpu::semantics
