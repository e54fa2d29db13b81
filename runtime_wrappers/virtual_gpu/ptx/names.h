// The spellings of state spaces and types (PTX ISA 5.1, 5.2), once for the parser and the printer.
#pragma once

#include <optional>
#include <string_view>

#include "runtime_wrappers/virtual_gpu/ptx/ast.h"

namespace cudash::ptx {

/// "global", without the dot; empty for Space::none.
std::string_view name_of(Space space);
/// "f32", without the dot; empty for Type::none.
std::string_view name_of(Type type);

std::optional<Space> find_space(std::string_view name);
std::optional<Type> find_type(std::string_view name);

}  // namespace cudash::ptx
