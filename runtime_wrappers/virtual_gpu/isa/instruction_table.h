// The table of PTX instructions. Decoding, the coverage list and the checks of forms all read instructions.def.
#pragma once

#include <span>
#include <string_view>

#include "runtime_wrappers/virtual_gpu/isa/affine_form.h"
#include "runtime_wrappers/virtual_gpu/isa/instruction_cost.h"
#include "runtime_wrappers/virtual_gpu/isa/modifiers.h"

namespace cudash::virtual_gpu {

class Site;

/// What an instruction's operands are, in the order written. d: written; a, b, c, e: read; p: a predicate written,
/// perhaps as p|q; o: read, if it is there; m: a memory address or an image; x: whatever the instruction's own rules
/// say.
enum class Form : std::uint8_t { none, a, d, da, dab, dabc, dabce, dabo, pab, dm, ma, dmab, dmx, label, call, dx, x };

enum class Class : std::uint8_t {
    arithmetic,  ///< lane by lane, registers to registers
    memory,      ///< reads or writes memory
    collective,  ///< lanes of a warp work together
    barrier,     ///< threads of a block wait for each other
    control,     ///< decides what runs next
    hint         ///< no effect on results
};

/// Where control goes.
enum class Control : std::uint8_t {
    next,
    branch,          ///< to a label
    indexed_branch,  ///< to one of a list of labels
    call,
    leave,  ///< the function, or the kernel
    stop    ///< the launch
};

/// What is done to memory.
enum class Effect : std::uint8_t {
    none,
    load,
    store,
    atomic,
    fence,
    copy,      ///< asynchronous, or waits for such copies
    mbarrier,  ///< arrives or waits at an mbarrier object
    image_store,
    image_atomic,
    tile_load,   ///< a matrix, by the lanes of a warp together
    tile_store,  ///< the same
    fragment     ///< wmma: its modifiers say whether it loads, stores or computes
};

/// What analyses may conclude of a result, whatever its type is.
enum class Meaning : std::uint8_t {
    other,
    sum,
    difference,
    product,
    product_sum,
    product_of_24_bits,
    quotient,
    negation,
    complement,
    copy,
    generic_address,  ///< the same place, named in another way
    comparison
};

/// What all warps of a block do together (exec/lockstep.h).
enum class LockstepForm : std::uint8_t {
    of_class,      ///< what computes and hints: warp by warp; other classes have none
    none,          ///< it depends on the warp's own pace
    plain_access,  ///< warp by warp, unless its modifiers order it
    together       ///< its selector gives a handler for the block
};

/// What decoding and checking need to know of an instruction; a row lists what differs from this.
struct Behavior {
    Control control = Control::next;
    Effect effect = Effect::none;
    Meaning meaning = Meaning::other;
    double (*folded)(double) = nullptr;  ///< what ptxas computes where the operand is a constant
    ChooseAffine affine = nullptr;       ///< nullptr: all forms work on lanes
    LockstepForm lockstep = LockstepForm::of_class;
};

struct InstructionRow {
    std::string_view mnemonic;
    Form form;
    TypeSet types;  ///< allowed types; 0: the instruction has none, or its own rules decide
    ModSet modifiers;
    Class instruction_class;
    CostRule cost;
    std::string_view section;  ///< anchor in the PTX ISA document
    Behavior behavior;
    void (*select)(Site&);
};

/// All rows, sorted by mnemonic.
std::span<const InstructionRow> instruction_table();
const InstructionRow* find_instruction(std::string_view mnemonic);
/// What its row says; of an instruction without one: that it is nothing special.
const Behavior& behavior_of(const ptx::Instruction& written);

/// How many leading operands are written, and the least and most operands there may be.
struct FormShape {
    unsigned written, least, most;
};
FormShape shape_of(Form form);

#define PTX_OP(name, form, types, modifiers, instruction_class, price, section, ...) void select_##name(Site&);
#include "runtime_wrappers/virtual_gpu/isa/instructions.def"
#undef PTX_OP

}  // namespace cudash::virtual_gpu
