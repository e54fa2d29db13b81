// Which element of a matrix lies in which register of which lane, for mma and wmma.
#pragma once

#include "runtime_wrappers/virtual_gpu/exec/lanes.h"
#include "runtime_wrappers/virtual_gpu/isa/matrix_work.h"

namespace cudash::virtual_gpu {

// PTX ISA, "Matrix Fragments for mma": with g = lane / 4 and t = lane % 4, register r of A holds consecutive elements
// of row g (+8 for odd r) from column t * n (+4n for r >= 2) on, n elements fitting a register; B the same down its
// columns.
inline MatrixPlace mma_a(unsigned lane, unsigned slot, unsigned per_register, unsigned) {
    const unsigned r = slot / per_register, e = slot % per_register;
    return {lane / 4 + 8 * (r & 1), per_register * (lane % 4) + e + (r >> 1) * 4 * per_register};
}
inline MatrixPlace mma_b(unsigned lane, unsigned slot, unsigned per_register, unsigned) {
    const unsigned r = slot / per_register, e = slot % per_register;
    return {per_register * (lane % 4) + e + r * 4 * per_register, lane / 4};
}
inline MatrixPlace mma_c(unsigned lane, unsigned slot, unsigned, unsigned) {
    return {lane / 4 + 8 * (slot / 2), 2 * (lane % 4) + slot % 2};
}
/// The same for a fragment that is loaded in pieces of a register: B is the transposed A.
inline MatrixPlace wmma_packed_a(unsigned lane, unsigned slot, unsigned per_register, unsigned columns) {
    const unsigned index = lane * per_register + slot;
    return {index / columns, index % columns};
}
inline MatrixPlace wmma_packed_b(unsigned lane, unsigned slot, unsigned per_register, unsigned) {
    // Both packed shapes have B of 8 columns, so a column's elements fill the registers of four lanes.
    return {lane % 4 * per_register + slot, lane / 4};
}
// PTX ISA, "Matrix Fragments for mma.m8n8k4 with .f16 floating point type": lanes 4q to 4q + 3 and the 16 above, a quad
// pair, multiply matrices of their own. The upper lanes hold the lower rows of A, C and D and the right columns of B.
inline unsigned upper_half(unsigned lane) {
    return lane < 16 ? 0 : 4;
}
inline MatrixPlace quad_pair_a(unsigned lane, unsigned slot, unsigned, unsigned) {
    return {lane % 4 + upper_half(lane), slot};
}
inline MatrixPlace quad_pair_a_by_columns(unsigned lane, unsigned slot, unsigned, unsigned) {
    return {slot + upper_half(lane), lane % 4};
}
inline MatrixPlace quad_pair_b(unsigned lane, unsigned slot, unsigned, unsigned) {
    return {slot, lane % 4 + upper_half(lane)};
}
inline MatrixPlace quad_pair_b_by_rows(unsigned lane, unsigned slot, unsigned, unsigned) {
    return {lane % 4, slot + upper_half(lane)};
}
inline MatrixPlace quad_pair_c_f16(unsigned lane, unsigned slot, unsigned, unsigned) {
    return {lane % 4 + upper_half(lane), slot};
}
inline MatrixPlace quad_pair_c_f32(unsigned lane, unsigned slot, unsigned, unsigned) {
    return {(lane & 1) + (slot & 2) + upper_half(lane), (slot & 4) + (lane & 2) + (slot & 1)};
}
// wmma leaves open which elements a thread's fragment.x has. Here they are those of an H200 (recorded:
// tests/hardware/combinations/values.cu), which multiplies by mma of half the width: with g and t as above, the pieces
// of 8 rows or columns follow each other.
inline MatrixPlace wmma_c(unsigned lane, unsigned slot, unsigned, unsigned columns) {
    const unsigned g = lane / 4, pair = 2 * (lane % 4) + slot % 2, piece = slot / 2;
    if (columns == 32) return {pair, g + 8 * piece};
    if (columns == 8) return {g + 8 * piece, pair};
    return {g + 8 * (piece % 2), pair + 8 * (piece / 2)};
}
inline MatrixPlace wmma_a_16(unsigned lane, unsigned slot, unsigned, unsigned) {
    return {lane / 4 + 8 * (slot / 2 % 2) + 16 * (slot / 8), 2 * (lane % 4) + slot % 2 + 8 * (slot / 4 % 2)};
}
inline MatrixPlace wmma_a_16_of_8_rows(unsigned lane, unsigned slot, unsigned, unsigned) {
    return {lane / 4, 2 * (lane % 4) + slot % 2 + 8 * (slot / 2)};
}
inline MatrixPlace wmma_b_16(unsigned lane, unsigned slot, unsigned, unsigned columns) {
    const unsigned pair = 2 * (lane % 4) + slot % 2;
    if (columns == 32) return {pair + 8 * (slot / 4 % 2), lane / 4 + 8 * (slot / 2 % 2) + 16 * (slot / 8)};
    return {pair + 8 * (slot / 2 % 2), lane / 4 + 8 * (slot / 4)};
}
inline MatrixPlace wmma_a_8(unsigned lane, unsigned slot, unsigned, unsigned) {
    return {lane / 4 + 8 * (slot / 4), 4 * (lane % 4) + slot % 4};
}
inline MatrixPlace wmma_b_8(unsigned lane, unsigned slot, unsigned, unsigned) {
    return {4 * (lane % 4) + slot % 4, lane / 4 + 8 * (slot / 4)};
}
/// .tf32, and .f64, of which a lane has one element.
inline MatrixPlace wmma_a_wide(unsigned lane, unsigned slot, unsigned, unsigned) {
    return {lane / 4 + 8 * (slot % 2), lane % 4 + 4 * (slot / 2)};
}
inline MatrixPlace wmma_b_wide(unsigned lane, unsigned slot, unsigned, unsigned) {
    return {lane % 4 + 4 * (slot % 2), lane / 4 + 8 * (slot / 2)};
}

using Placing = MatrixPlace (*)(unsigned, unsigned, unsigned, unsigned);
/// Of operand a, which has `rows`, or b.
inline Placing wmma_place(ptx::Type type, bool is_b, unsigned rows) {
    using enum ptx::Type;
    switch (type) {
        case s4:
        case u4:
        case b1:
            return is_b ? wmma_packed_b : wmma_packed_a;
        case s8:
        case u8:
            return is_b ? wmma_b_8 : wmma_a_8;
        case tf32:
        case f64:
            return is_b ? wmma_b_wide : wmma_a_wide;
        default:
            return is_b ? wmma_b_16 : rows == 8 ? wmma_a_16_of_8_rows : wmma_a_16;
    }
}

}  // namespace cudash::virtual_gpu
