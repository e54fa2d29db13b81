// Three numbers that stand for the 32 lanes of a register (exec/affine.h).
#pragma once

#include <cstdint>

#include "runtime_wrappers/virtual_gpu/isa/decode/affine_registers.h"

namespace cudash::virtual_gpu {

/// Lane l holds base + l % 16 * step + l / 16 * half, modulo 2^32 or 2^64 as the register is wide. In registers of 32
/// bits the upper halves of the numbers mean nothing. Where all warps of a block run in lockstep (exec/lockstep.h), the
/// numbers are those of warp 0, and warp k has k * warp more; otherwise `warp` means nothing.
struct alignas(32) Affine {
    std::uint64_t base = 0, step = 0, half = 0, warp = 0;

    bool uniform() const { return (step | half) == 0; }
    Affine of_warp(std::uint32_t k) const { return {base + k * warp, step, half, 0}; }
};
static_assert(sizeof(Affine) == affine_slot_bytes);

/// The progression that `values` are, if they are one.
inline bool as_affine(const std::uint32_t (&values)[32], Affine& made) {
    made.base = values[0];
    made.step = values[1] - values[0];
    made.half = values[16] - values[0];
    for (unsigned l = 0; l < 32; ++l) {
        const auto expected = static_cast<std::uint32_t>(made.base + l % 16 * made.step + l / 16 * made.half);
        if (values[l] != expected) return false;
    }
    return true;
}

}  // namespace cudash::virtual_gpu
