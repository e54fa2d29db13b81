// What an instruction asks of a multiprocessor: the cost column of instructions.def. PTX is not machine code: how many
// machine instructions one becomes, which unit works on them and how long the result takes is fitted to times recorded
// on an H200 (tests/hardware/times), or measured there where instruction_cost.cpp says so.
#pragma once

#include <cstdint>

#include "runtime_wrappers/virtual_gpu/isa/modifiers.h"

namespace cudash::virtual_gpu {

enum class Unit : std::uint8_t { none, single, integer, doubles, special, tensor, memory, barrier, branch };

/// What decides how long the result takes; `none`: nothing is written that others could wait for.
enum class Latency : std::uint8_t { none, arithmetic, doubles, special, tensor, shared, global, local, barrier };

struct InstructionCost {
    Unit unit = Unit::integer;
    double machine = 1;  ///< instructions of the machine; 0: it vanishes, and its operands are one register
    Latency latency = Latency::arithmetic;
    double busy = machine;  ///< of the unit, in operations of a whole warp
    double special = 0;     ///< and of the unit for special functions
};

using CostRule = InstructionCost (*)(const ParsedModifiers&);

namespace cost {

/// Of the units that the type names: single precision, double precision, integers.
InstructionCost arithmetic(const ParsedModifiers& written);
/// Of the units for integers, or for double precision: what compares, or changes a sign.
InstructionCost comparison(const ParsedModifiers& written);
InstructionCost extreme(const ParsedModifiers& written);
/// Of the units for integers, whatever the type is.
InstructionCost integer(const ParsedModifiers& written);
InstructionCost conversion(const ParsedModifiers& written);
InstructionCost division(const ParsedModifiers& written);
InstructionCost remainder(const ParsedModifiers& written);
InstructionCost root(const ParsedModifiers& written);
InstructionCost reciprocal(const ParsedModifiers& written);
InstructionCost special(const ParsedModifiers& written);
/// Vanishes in the choice of registers.
InstructionCost move(const ParsedModifiers& written);
InstructionCost load(const ParsedModifiers& written);
InstructionCost store(const ParsedModifiers& written);
InstructionCost atomic(const ParsedModifiers& written);
/// Through the paths of shared memory, from lane to lane.
InstructionCost exchange(const ParsedModifiers& written);
InstructionCost reduction(const ParsedModifiers& written);
InstructionCost texture(const ParsedModifiers& written);
InstructionCost matrix(const ParsedModifiers& written);
/// cp.async and its like; waiting for them is another instruction.
InstructionCost copy(const ParsedModifiers& written);
InstructionCost branch(const ParsedModifiers& written);
InstructionCost call(const ParsedModifiers& written);
InstructionCost barrier(const ParsedModifiers& written);

}  // namespace cost

/// What its row says; of an instruction without one: as of integer arithmetic.
InstructionCost cost_of(const ptx::Instruction& written);
}  // namespace cudash::virtual_gpu
