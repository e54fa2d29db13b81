// Elements of matrices as numbers, and sums as results: what mma, wmma and wgmma have in common.
#pragma once

#include <array>
#include <vector>

#include "runtime_wrappers/virtual_gpu/exec/matrix_elements.h"
#include "runtime_wrappers/virtual_gpu/isa/decode.h"
#include "runtime_wrappers/virtual_gpu/isa/matrix_work.h"
#include "runtime_wrappers/virtual_gpu/isa/semantics_tensor.h"

namespace cudash::virtual_gpu {

template <class Number>
using Matrix = std::array<Number, largest_matrix>;

template <ptx::Type T>
std::int32_t decode_integer(std::uint32_t bits) {
    using enum ptx::Type;
    if constexpr (T == s8) return static_cast<std::int8_t>(bits);
    if constexpr (T == u8) return static_cast<std::uint8_t>(bits);
    if constexpr (T == s4) return static_cast<std::int8_t>(bits << 4) >> 4;
    if constexpr (T == u4) return static_cast<std::int32_t>(bits & 0xF);
    if constexpr (T == b1) return static_cast<std::int32_t>(bits & 1);
    return static_cast<std::int32_t>(bits);
}

template <ptx::Type T>
double decode_real(std::uint32_t bits) {
    using enum ptx::Type;
    using namespace semantics;
    if constexpr (T == f16) return widen<format_f16>(bits & 0xFFFF);
    if constexpr (T == e4m3) return widen<format_e4m3>(bits & 0xFF);
    if constexpr (T == e5m2) return widen<format_e5m2>(bits & 0xFF);
    if constexpr (T == bf16) return widen<format_bf16>(bits & 0xFFFF);
    // The lower 13 bits of a .tf32 operand do not count.
    if constexpr (T == tf32) return std::bit_cast<float>(bits & 0xFFFFE000u);
    return std::bit_cast<float>(bits);
}

/// Of the encodings of real operands; the tensor cores take 8-bit operands as .f16.
template <ptx::Type T>
constexpr int least_exponent = T == ptx::Type::f16 || T == ptx::Type::e4m3 || T == ptx::Type::e5m2 ? -14 : -126;

/// The bits of a sum's element of d.
inline std::uint32_t tensor_result(const MatrixWork& work, double sum) {
    using enum ptx::Type;
    // Only sums with an .f16 operand c are formed as .f16.
    const double formed = work.c.type == f16 && work.d.type == f16 ? sum : semantics::cut_to_f32(sum);
    if (work.d.type != f16) return std::bit_cast<std::uint32_t>(static_cast<float>(formed));
    const std::uint32_t bits = semantics::round_to<semantics::format_f16, semantics::Rounding::rn>(formed);
    // What is too small for .f16 becomes +0, whatever its sign.
    return (bits & 0x7FFF) == 0 ? 0 : bits;
}

/// A fragment's registers to `list`; false: too few. wmma has more registers for f16 than elements.
bool add_registers(Site& site, const ptx::Operand& operand, const FragmentShape& shape, bool written,
                   std::vector<std::uint32_t>& list);

}  // namespace cudash::virtual_gpu
