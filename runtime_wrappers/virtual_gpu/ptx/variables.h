// Parses declarations of variables and parameters (PTX ISA 5.4 "Variables").
#pragma once

#include <vector>

#include "runtime_wrappers/virtual_gpu/ptx/ast.h"
#include "runtime_wrappers/virtual_gpu/ptx/token_reader.h"

namespace cudash::ptx {

/// `.extern .global .align 4 .u32 a, b[2] = {1, 2};` with the linkage already in `prototype`; `.reg .b32 %r<5>;`.
/// Appends one Variable for each name.
bool parse_variables(TokenReader& reader, const Variable& prototype, std::vector<Variable>& variables);
/// `(.param .b64 a, .reg .b32 b)`, empty lists included.
bool parse_parameters(TokenReader& reader, std::vector<Variable>& parameters);
/// True if `token` begins a declaration: ".global", ".reg", ...
bool begins_variable(const Token& token);

}  // namespace cudash::ptx
