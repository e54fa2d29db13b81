// Which registers of a kernel can be kept as arithmetic progressions over the lanes (exec/affine.h), found at decode
// time. The analysis assumes that all lanes of a warp run together; where they do not, the handlers notice.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "runtime_wrappers/virtual_gpu/isa/control_flow.h"
#include "runtime_wrappers/virtual_gpu/isa/instruction.h"
#include "runtime_wrappers/virtual_gpu/isa/modifiers.h"
#include "runtime_wrappers/virtual_gpu/isa/register_allocation.h"

namespace cudash::virtual_gpu {

/// What is known of a register's lanes; later ones include earlier ones. `unknown`: no definition was looked at yet.
enum class Shape : std::uint8_t { unknown, uniform, affine, lanes };

inline constexpr std::uint32_t affine_slot_bytes = 32;
/// Registers that may be affine have places of their own; kernels with more of them do without.
inline constexpr std::size_t most_affine_registers = 512;

/// An instruction as its row in the table of affine forms sees it.
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

/// The row of a mnemonic; nullptr: all its forms work on lanes.
ChooseAffine find_affine_form(std::string_view mnemonic);

/// What the decoder found out, by register.
struct AffineRegisters {
    std::vector<Shape> shapes;
    std::vector<bool> mirrored;  ///< somebody reads its lanes: they are written too
    std::vector<bool> local;     ///< every value is read in the basic block that wrote it
    std::vector<bool> steady;    ///< the same in every block of a launch: computed once (isa/steady_registers.cpp)
    std::size_t count = 0;       ///< of those that are kept affine
    bool is_affine(std::uint32_t r) const { return shapes[r] == Shape::uniform || shapes[r] == Shape::affine; }
};

/// Registers whose values never leave the basic block that wrote them. Blocks for which `interrupted` says that other
/// lanes may run in their midst have none.
std::vector<bool> block_local_registers(std::size_t registers, const std::vector<RegisterUse>& uses,
                                        const std::vector<FlowBlock>& blocks, const std::vector<bool>& interrupted);

}  // namespace cudash::virtual_gpu
