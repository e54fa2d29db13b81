// What one matrix instruction works on: shapes, types, and which element lies in which register of which lane.
#pragma once

#include <algorithm>

#include "runtime_wrappers/virtual_gpu/isa/modifiers.h"

namespace cudash::virtual_gpu {

struct MatrixPlace {
    unsigned row, column;
};

struct FragmentShape {
    ptx::Type type = ptx::Type::none;
    unsigned rows = 0, columns = 0;
    unsigned lanes = 32;  ///< that hold it
    /// Where element `slot` of a lane's part belongs.
    MatrixPlace (*place)(unsigned lane, unsigned slot, unsigned per_register, unsigned columns) = nullptr;

    unsigned element_bits() const {
        if (type == ptx::Type::b1) return 1;
        return type == ptx::Type::s4 || type == ptx::Type::u4 ? 4 : type_bytes(type) * 8;
    }
    unsigned per_register() const { return std::max(1u, 32 / element_bits()); }
    unsigned slots() const { return rows * columns / lanes; }
    unsigned registers() const { return (slots() + per_register() - 1) / per_register(); }
};

/// How the bits of .b1 operands meet before they are counted.
enum class BitProduct : unsigned char { none, and_popc, xor_popc };

/// d = a * b + c; loads and stores of fragments use d alone.
struct MatrixWork {
    FragmentShape a, b, c, d;
    unsigned steps = 1;  ///< that the products of a row are added in
    bool saturate = false;
    bool row_major = true;  ///< in memory
    BitProduct bits = BitProduct::none;
    // wgmma alone: its operands in shared memory, whose descriptors say where.
    bool a_in_registers = false, transposed_a = false, transposed_b = false;
    bool negative = false;  ///< a or b is taken with the opposite sign, but not both
};

}  // namespace cudash::virtual_gpu
