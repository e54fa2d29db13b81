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
/// wmma leaves its layout open: elements are dealt to the lanes row by row.
inline MatrixPlace wmma_any(unsigned lane, unsigned slot, unsigned, unsigned columns) {
    const unsigned index = slot * warp_size + lane;
    return {index / columns, index % columns};
}

using Placing = MatrixPlace (*)(unsigned, unsigned, unsigned, unsigned);
inline Placing wmma_place(ptx::Type type, bool is_b) {
    if (type != ptx::Type::s4 && type != ptx::Type::u4 && type != ptx::Type::b1) return wmma_any;
    return is_b ? wmma_packed_b : wmma_packed_a;
}

}  // namespace cudash::virtual_gpu
