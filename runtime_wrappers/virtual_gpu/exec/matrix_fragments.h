// The operands of an instruction that multiplies matrices of a warp.
#pragma once

#include "runtime_wrappers/virtual_gpu/exec/matrix_elements.h"

namespace cudash::virtual_gpu {

/// d, a, b and c: their registers are listed one behind the other, then the numbers of their places.
struct Fragments {
    const MatrixWork& work;
    FragmentRegisters d, a, b, c;

    Fragments(const Instruction* i, Warp& w) : Fragments(i, w, w.frame->code->matrix_work[i->option]) {}

private:
    Fragments(const Instruction* i, Warp& w, const MatrixWork& of)
        : Fragments(w, of, &w.frame->code->operands[i->extra],
                    of.d.registers() + of.a.registers() + of.b.registers() + of.c.registers()) {}
    Fragments(Warp& w, const MatrixWork& of, const std::uint32_t* list, unsigned places)
        : work(of),
          d{w, list, of.d, places_of(list[places])},
          a{w, d.list + of.d.registers(), of.a, places_of(list[places + 1])},
          b{w, a.list + of.a.registers(), of.b, places_of(list[places + 2])},
          c{w, b.list + of.b.registers(), of.c, places_of(list[places + 3])} {}
};

}  // namespace cudash::virtual_gpu
