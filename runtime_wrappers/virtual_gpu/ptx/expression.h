// Constant expressions (PTX ISA 4.5.4 to 4.5.6): what stands for a number in an operand, an address or an initialiser.
#pragma once

#include "runtime_wrappers/virtual_gpu/ptx/ast.h"
#include "runtime_wrappers/virtual_gpu/ptx/token_reader.h"

namespace cudash::ptx {

/// Whether a token can begin a constant expression, signs aside.
bool begins_expression(const Token& token);
/// An expression into `value`: kind integer or real. `negative`: a minus stood before it and was taken.
bool parse_expression(TokenReader& reader, Operand& value, bool negative = false);

}  // namespace cudash::ptx
