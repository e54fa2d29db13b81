// The sums of mma and wmma on .f16, .bf16, .tf32 and 8-bit operands, as Hopper's tensor cores form them. The PTX ISA
// leaves that open; measured on an H200, bit for bit: the exact products of up to 16 pairs and the third operand are
// aligned to the largest exponent among them, cut toward zero 25 bits below it, and added exactly. The sum becomes .f32
// by being cut, .f16 by rounding to nearest.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>

#include "runtime_wrappers/virtual_gpu/isa/semantics_float.h"

namespace cudash::virtual_gpu::semantics {

/// A matrix with, for each element, the power of two of its exponent; an element's exponent is that of its encoding, so
/// that subnormal values have the least normal one. Zeros have none and never set the alignment.
struct TensorOperand {
    static constexpr unsigned most_elements = 512;

    std::array<double, most_elements> value, power;
    std::array<double, most_elements> special;  ///< `value` with infinities and NaNs, which are zero there
    bool finite = true;

    void set(unsigned at, double number, int least_exponent) {
        const std::uint64_t bits = std::bit_cast<std::uint64_t>(number);
        const auto exponent = static_cast<int>(bits >> 52 & 0x7FF) - 1023;
        const bool usable = exponent != 1024;
        const auto field = static_cast<std::uint64_t>(std::max(exponent, least_exponent) + 1023);
        special[at] = number;
        value[at] = usable ? number : 0.0;
        power[at] = usable && number != 0.0 ? std::bit_cast<double>(field << 52) : 0.0;
        finite &= usable;
    }
};

/// An exact sum as .f32: cut, and infinite beyond the range.
inline float cut_to_f32(double sum) {
    if (sum != sum) return nan_f32;
    if (std::fabs(sum) >= 0x1.0p128)
        return std::copysign(std::numeric_limits<float>::infinity(), static_cast<float>(sum));
    return round_f32<Rounding::rz>(sum);
}

/// The first 13 bits of a sum's fraction: what a warpgroup's product of 8-bit numbers keeps as .f32 (measured on an
/// H100).
inline double cut_to_13_bits(double sum) {
    constexpr unsigned dropped = 52 - 13;
    return std::bit_cast<double>(std::bit_cast<std::uint64_t>(sum) >> dropped << dropped);
}

/// One row of a * b + c with the products of the columns `ks` of a: exact sums to `sums`. `kept`: 2 to the number of
/// bits below the largest exponent that count.
inline void add_tensor_row(const TensorOperand& a, unsigned a_row, const TensorOperand& b, unsigned columns,
                           const TensorOperand& c, unsigned c_row, std::span<const std::uint8_t> ks, double* sums,
                           double kept = 0x1.0p25) {
    constexpr unsigned most_columns = 32;
    alignas(64) double largest[most_columns], scale[most_columns];
    for (unsigned j = 0; j < columns; ++j) largest[j] = c.power[c_row + j];
    for (const std::uint8_t k : ks) {
        const double power = a.power[a_row + k];
        const double* b_power = &b.power[k * columns];
        for (unsigned j = 0; j < columns; ++j) largest[j] = std::max(largest[j], power * b_power[j]);
    }
    for (unsigned j = 0; j < columns; ++j) {
        scale[j] = largest[j] != 0.0 ? kept / largest[j] : 1.0;
        sums[j] = static_cast<std::int32_t>(c.value[c_row + j] * scale[j]);
    }
    // A product is below 2^27 then, so that the conversion that cuts it is one of 32 bits.
    for (const std::uint8_t k : ks) {
        const double factor = a.value[a_row + k];
        const double* b_value = &b.value[k * columns];
        for (unsigned j = 0; j < columns; ++j)
            sums[j] += static_cast<double>(static_cast<std::int32_t>(factor * b_value[j] * scale[j]));
    }
    for (unsigned j = 0; j < columns; ++j) sums[j] *= largest[j] / kept;
    if (a.finite && b.finite && c.finite) return;
    for (unsigned j = 0; j < columns; ++j) {
        double plain = c.special[c_row + j];
        for (const std::uint8_t k : ks) plain += a.special[a_row + k] * b.special[k * columns + j];
        if (!std::isfinite(plain)) sums[j] = plain != plain ? nan_f32 : plain;
    }
}

}  // namespace cudash::virtual_gpu::semantics
