// Affine forms: what an instruction becomes where its operands are arithmetic progressions over the lanes
// (exec/affine.h). The affine column of instructions.def names one of these rules.
#pragma once

#include <cstdint>

#include "runtime_wrappers/virtual_gpu/isa/instruction.h"
#include "runtime_wrappers/virtual_gpu/isa/modifiers.h"

namespace cudash::virtual_gpu {

/// What is known of a register's lanes; later ones include earlier ones. `unknown`: no definition was looked at yet.
enum class Shape : std::uint8_t { unknown, uniform, affine, lanes };

/// An instruction as its affine rule sees it.
struct AffineQuery {
    const ptx::Instruction& written;
    const ParsedModifiers& modifiers;
    Shape sources[3] = {Shape::lanes, Shape::lanes, Shape::lanes};  ///< the operands after the first
    unsigned destination_bytes = 0, source_bytes = 0;  ///< per lane, of the first and second operand's register
    Shape address = Shape::lanes;                      ///< of a memory operand
    bool wide_address = true;
    bool kernel_parameter = false;

    ptx::Type type(std::size_t i = 0) const {
        return i < modifiers.types.size() ? modifiers.types[i] : ptx::Type::none;
    }
    bool has(Mod mod) const { return modifiers.set.has(mod); }
};

/// The affine form of an instruction for one warp, and for all warps of a block in lockstep.
struct AffineForms {
    Handler warp = nullptr, block = nullptr;
    Handler block_branch = nullptr;  ///< of setp: and what the branch after it does, if only that reads the predicate
    explicit operator bool() const { return warp != nullptr; }
};

/// Without forms the instruction reads lanes. `result`: what it writes. `steady`: a warp gets the same from it in every
/// block of a launch if its sources are the same there, and it never leaves the affine form.
struct AffineChoice {
    AffineForms run;
    Shape result = Shape::lanes;
    bool steady = false;
};
using ChooseAffine = AffineChoice (*)(const AffineQuery&);

/// The rules (exec/affine.cpp).
namespace affine_form {

AffineChoice add(const AffineQuery& query);
AffineChoice sub(const AffineQuery& query);
AffineChoice mul(const AffineQuery& query);
AffineChoice mad(const AffineQuery& query);
AffineChoice shl(const AffineQuery& query);
AffineChoice mov(const AffineQuery& query);
AffineChoice cvt(const AffineQuery& query);
AffineChoice cvta(const AffineQuery& query);
AffineChoice ld(const AffineQuery& query);
AffineChoice st(const AffineQuery& query);
AffineChoice setp(const AffineQuery& query);
// Only of values that are the same in all lanes.
AffineChoice logic_and(const AffineQuery& query);
AffineChoice logic_or(const AffineQuery& query);
AffineChoice logic_xor(const AffineQuery& query);
AffineChoice shr(const AffineQuery& query);
AffineChoice min(const AffineQuery& query);
AffineChoice max(const AffineQuery& query);
AffineChoice div(const AffineQuery& query);
AffineChoice rem(const AffineQuery& query);

}  // namespace affine_form
}  // namespace cudash::virtual_gpu
