// Parses PTX text into its syntax tree. Knows the syntax of PTX, not its instructions: a mnemonic that does not exist
// parses, and the decoder refuses it.
#pragma once

#include <string_view>

#include "runtime_wrappers/result.h"
#include "runtime_wrappers/virtual_gpu/ptx/ast.h"

namespace cudash::ptx {

/// The module, or the first error, code "ptx-syntax", with the PTX line in `where`.
Result<Module> parse(std::string_view text);

}  // namespace cudash::ptx
