#include "runtime_wrappers/virtual_gpu/exec/moderate_product.h"

#include <algorithm>
#include <bit>

#include "runtime_wrappers/virtual_gpu/exec/matrix_operands.h"
#include "runtime_wrappers/virtual_gpu/isa/semantics_tensor_moderate.h"

namespace cudash::virtual_gpu {
namespace {

using namespace semantics;
using enum ptx::Type;

template <unsigned Bits, ptx::Type T>
bool take_as(const FragmentRegisters& fragment, ModerateOperand& operand, int least, int most) {
    decode_elements<Bits>(fragment, operand.value,
                          [](std::uint32_t bits) { return static_cast<float>(decode_real<T>(bits)); });
    return operand.find_powers(fragment.shape.rows * fragment.shape.columns, least_exponent<T>, least, most);
}

bool take(const FragmentRegisters& fragment, ModerateOperand& operand, int least, int most) {
    switch (fragment.shape.type) {
        case f16:
            return take_as<16, f16>(fragment, operand, least, most);
        case bf16:
            return take_as<16, bf16>(fragment, operand, least, most);
        case tf32:
            return take_as<32, tf32>(fragment, operand, least, most);
        case f32:
            return take_as<32, f32>(fragment, operand, least, most);
        default:
            return false;
    }
}

struct Operands {
    ModerateOperand a, b, c;
    alignas(64) double sums[ModerateOperand::most_elements];
};

/// `Depth`: of one step. What a step has made is cut before the next one adds to it.
template <unsigned Columns, unsigned Depth>
void multiply_rows(const MatrixWork& work, Operands& all) {
    constexpr unsigned width = std::min(Columns, 16u);
    for (unsigned row = 0; row < work.a.rows; ++row)
        for (unsigned j = 0; j < Columns; j += width) {
            const unsigned a_row = row * work.a.columns, at = row * Columns + j;
            double* const sums = &all.sums[at];
            add_moderate_row<width, Depth>(all.a, a_row, all.b, j, Columns, &all.c.value[at], &all.c.power[at], sums);
            if constexpr (Depth < 16) {
                if (work.steps == 1) continue;
                alignas(64) float partial[width], power[width];
                for (unsigned l = 0; l < width; ++l) {
                    partial[l] = cut_moderate(sums[l]);
                    power[l] = std::bit_cast<float>(std::bit_cast<std::uint32_t>(partial[l]) & 0x7F800000u);
                }
                add_moderate_row<width, Depth>(all.a, a_row + Depth, all.b, Depth * Columns + j, Columns, partial,
                                               power, sums);
            }
        }
}

template <unsigned Columns>
bool multiply_columns(const MatrixWork& work, Operands& all) {
    switch (work.a.columns / work.steps) {
        case 4:
            multiply_rows<Columns, 4>(work, all);
            return true;
        case 8:
            multiply_rows<Columns, 8>(work, all);
            return true;
        case 16:
            multiply_rows<Columns, 16>(work, all);
            return work.steps == 1;
        default:
            return false;
    }
}

bool multiply(const MatrixWork& work, Operands& all) {
    switch (work.b.columns) {
        case 8:
            return multiply_columns<8>(work, all);
        case 16:
            return multiply_columns<16>(work, all);
        case 32:
            return multiply_columns<32>(work, all);
        default:
            return false;
    }
}

}  // namespace

bool multiply_moderate(const Fragments& fragments) {
    const MatrixWork& work = fragments.work;
    if (work.a.element_bits() == 8) return false;
    Operands all;
    if (!take(fragments.a, all.a, least_moderate, most_moderate) ||
        !take(fragments.b, all.b, least_moderate, most_moderate) ||
        !take(fragments.c, all.c, least_moderate_sum, most_moderate_sum) || !multiply(work, all))
        return false;
    alignas(64) std::uint32_t results[ModerateOperand::most_elements];
    const unsigned count = work.d.rows * work.d.columns;
    if (work.d.type != f16) {
        for (unsigned at = 0; at < count; ++at) results[at] = std::bit_cast<std::uint32_t>(cut_moderate(all.sums[at]));
        encode_elements(fragments.d, results);
        return true;
    }
    // As tensor_result has it.
    const bool exact = work.c.type == f16;
    for (unsigned at = 0; at < count; ++at)
        results[at] = exact ? odd_moderate(all.sums[at]) : std::bit_cast<std::uint32_t>(cut_moderate(all.sums[at]));
    for (unsigned at = 0; at < count; ++at) results[at] = half_from_moderate(results[at]);
    encode_halves(fragments.d, results);
    return true;
}

}  // namespace cudash::virtual_gpu
