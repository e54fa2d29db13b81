// What is done with a product before it is stored: a bias is added, an activation or its derivative applied, sums of
// gradients are taken.
#pragma once

#include <cublasLt.h>

#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

#include "runtime_wrappers/libraries/numbers.h"

namespace cudash::libraries::cublas_lt {

enum class Activation : std::uint8_t { none, relu, gelu, relu_gradient, gelu_gradient };
/// Of what a gradient of the bias is the sum.
enum class BiasGradient : std::uint8_t { none, of_result, of_a, of_b };

struct Epilogue {
    std::uint32_t number = CUBLASLT_EPILOGUE_DEFAULT;
    std::string_view name{};
    Activation activation = Activation::none;
    bool bias = false;
    bool auxiliary = false;  ///< the input of the activation: written by those, read by their derivatives
    BiasGradient gradient = BiasGradient::none;

    bool is_derivative() const {
        return activation == Activation::relu_gradient || activation == Activation::gelu_gradient;
    }
    bool has_bits() const {
        return auxiliary && (activation == Activation::relu || activation == Activation::relu_gradient);
    }
};
/// nullptr: there is no such.
const Epilogue* find_epilogue(std::uint32_t number);
/// All of them, as a mask.
std::uint32_t all_epilogues();

/// cuBLASLt's GELU is the one by tanh.
template <class Real>
Real gelu_of(Real x) {
    const Real factor = std::sqrt(Real(2) / std::numbers::pi_v<Real>);
    return Real(0.5) * x * (Real(1) + std::tanh(factor * (x + Real(0.044715) * x * x * x)));
}
template <class Real>
Real gelu_slope(Real x) {
    const Real factor = std::sqrt(Real(2) / std::numbers::pi_v<Real>);
    const Real inner = std::tanh(factor * (x + Real(0.044715) * x * x * x));
    const Real slope = factor * (Real(1) + Real(3 * 0.044715) * x * x);
    return Real(0.5) * (Real(1) + inner) + Real(0.5) * x * (Real(1) - inner * inner) * slope;
}

/// Bits, the first element of a byte lowest.
inline bool bit_at(const std::byte* bits, std::int64_t place) {
    return (std::to_integer<unsigned>(bits[place / 8]) >> (place % 8) & 1) != 0;
}
inline void put_bit(std::byte* bits, std::int64_t place, bool value) {
    const std::byte mask{static_cast<unsigned char>(1U << (place % 8))};
    bits[place / 8] = value ? bits[place / 8] | mask : bits[place / 8] & ~mask;
}

}  // namespace cudash::libraries::cublas_lt
