// The table of PTX instructions. Decoding, the coverage list and the checks of forms all read instructions.def.
#pragma once

#include <span>
#include <string_view>

#include "runtime_wrappers/virtual_gpu/isa/instruction_cost.h"
#include "runtime_wrappers/virtual_gpu/isa/modifiers.h"

namespace cudash::virtual_gpu {

class Site;

/// What an instruction's operands are, in the order written. d: written; a, b, c, e: read; p: a predicate written,
/// perhaps as p|q; o: read, if it is there; m: a memory address or an image; x: whatever the instruction's own rules
/// say.
enum class Form : std::uint8_t {
    none,
    a,
    ab,
    d,
    da,
    dab,
    dabc,
    dabce,
    dabo,
    pab,
    dm,
    ma,
    m,
    dma,
    dmab,
    dmx,
    label,
    call,
    dx,
    x
};

enum class Class : std::uint8_t {
    arithmetic,  ///< lane by lane, registers to registers
    memory,      ///< reads or writes memory
    collective,  ///< lanes of a warp work together
    barrier,     ///< threads of a block wait for each other
    control,     ///< decides what runs next
    hint         ///< no effect on results
};

struct InstructionRow {
    std::string_view mnemonic;
    Form form;
    TypeSet types;  ///< allowed types; 0: the instruction has none, or its own rules decide
    ModSet modifiers;
    Class klass;
    CostRule cost;
    std::string_view section;  ///< anchor in the PTX ISA document
    void (*select)(Site&);
};

/// All rows, sorted by mnemonic.
std::span<const InstructionRow> instruction_table();
const InstructionRow* find_instruction(std::string_view mnemonic);

/// How many leading operands are written, and the least and most operands there may be.
struct FormShape {
    unsigned written, least, most;
};
FormShape shape_of(Form form);

#define PTX_OP(name, form, types, modifiers, klass, price, section) void select_##name(Site&);
#include "runtime_wrappers/virtual_gpu/isa/instructions.def"
#undef PTX_OP

}  // namespace cudash::virtual_gpu
