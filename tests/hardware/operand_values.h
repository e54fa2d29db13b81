// What instructions are given: for every kind of operand its special values, crossed, then seeded random ones. The same
// on every machine.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "tests/hardware/case_list.h"

namespace cudash::oracle {

using Value = std::array<std::uint64_t, 2>;  ///< low and high 64 bits; the high ones count for .b128 alone

/// Operand `position` of `arity` of element `index`.
Value operand_value(std::string_view kind, unsigned arity, unsigned position, std::uint64_t index);
/// Element `index` of a sample that covers exponents and mantissas evenly: for the .approx instructions.
std::uint64_t dense_value(std::string_view kind, unsigned position, std::uint64_t index, std::uint64_t count);

/// The rows of inputs of a case, one after the other.
std::vector<std::uint64_t> inputs_of(const InstructionCase& test);
/// What its scratch memory begins with.
std::vector<std::uint64_t> memory_of(const InstructionCase& test);

}  // namespace cudash::oracle
