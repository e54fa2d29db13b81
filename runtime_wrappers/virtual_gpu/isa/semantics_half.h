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
template <Format F, bool Ftz, Clamp C, class Real>
std::uint16_t write_half(Real value) {
    return finish_half<F, Ftz, C>(static_cast<std::uint16_t>(round_to<F, Rounding::rn>(value)));
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
template <Format F, bool Ftz = false>
std::uint16_t abs_half(std::uint16_t a) {
    return finish_half<F, Ftz, Clamp::none>(static_cast<std::uint16_t>(a & (F.sign() - 1)));
}
template <Format F, bool Ftz = false>
std::uint16_t neg_half(std::uint16_t a) {
    return finish_half<F, Ftz, Clamp::none>(static_cast<std::uint16_t>(a ^ F.sign()));
}
template <Format F, bool Ftz = false, bool Nan = false, bool XorSign = false>
std::uint16_t min_half(std::uint16_t a, std::uint16_t b) {
    const float least = min_f32<false, Nan, XorSign>(read_half<F, Ftz>(a), read_half<F, Ftz>(b));
    return write_half<F, false, Clamp::none>(least);
}
template <Format F, bool Ftz = false, bool Nan = false, bool XorSign = false>
std::uint16_t max_half(std::uint16_t a, std::uint16_t b) {
    const float most = max_f32<false, Nan, XorSign>(read_half<F, Ftz>(a), read_half<F, Ftz>(b));
    return write_half<F, false, Clamp::none>(most);
}

}  // namespace cudash::virtual_gpu::semantics
