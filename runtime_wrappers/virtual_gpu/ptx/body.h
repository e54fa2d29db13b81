// Parses the statements of a function's body (PTX ISA 4.3 "Statements").
#pragma once

#include "runtime_wrappers/virtual_gpu/ptx/ast.h"
#include "runtime_wrappers/virtual_gpu/ptx/debug_info.h"
#include "runtime_wrappers/virtual_gpu/ptx/token_reader.h"

namespace cudash::ptx {

/// What follows the opening brace, up to and with the closing one.
bool parse_body(TokenReader& reader, Function& function, DebugInfo& debug);
/// `"nounroll";` after .pragma: hints for ptxas, skipped.
bool skip_pragma(TokenReader& reader);

}  // namespace cudash::ptx
