// Affine registers: values that each half of a warp has in arithmetic progression, base + l * step. Indices and
// addresses are mostly of this kind, and three numbers stand for 32 lanes of them. A kernel is decoded twice, into
// plain instructions and into ones that keep such registers affine; a warp starts in the second form and goes over to
// the plain one, at the same instruction, when a value turns out not to be affine.
#pragma once

#include <cstdint>

#include "runtime_wrappers/virtual_gpu/exec/affine_value.h"
#include "runtime_wrappers/virtual_gpu/exec/lanes.h"

namespace cudash::virtual_gpu {

inline Affine& affine(Warp& w, std::uint32_t offset) {
    return *reinterpret_cast<Affine*>(w.registers + offset);
}

template <class L>
inline void expand(const Affine& value, L* lanes) {
    for (unsigned h = 0; h < 2; ++h) {
        const auto first = static_cast<L>(value.base + h * value.half), step = static_cast<L>(value.step);
        CUDASH_LANE_LOOP
        for (unsigned l = 0; l < 16; ++l) lanes[16 * h + l] = static_cast<L>(first + static_cast<L>(l) * step);
    }
}

}  // namespace cudash::virtual_gpu
