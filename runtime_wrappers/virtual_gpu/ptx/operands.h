// Parses operands, constants and addresses (PTX ISA chapter 6 "Instruction Operands").
#pragma once

#include <cstdint>

#include "runtime_wrappers/virtual_gpu/ptx/ast.h"
#include "runtime_wrappers/virtual_gpu/ptx/token_reader.h"

namespace cudash::ptx {

/// Any operand of an instruction.
bool parse_operand(TokenReader& reader, Operand& operand);
/// `(a, b, ...)` of a call, the opening parenthesis included.
bool parse_call_list(TokenReader& reader, std::vector<Operand>& operands);
/// A constant expression (kind integer or real), or a register with a minus before it.
bool parse_constant(TokenReader& reader, Operand& operand);
/// `+4`, `-4`, `+-4`, any number of them, added to `offset` modulo 2^64.
bool parse_offsets(TokenReader& reader, std::int64_t& offset);

}  // namespace cudash::ptx
