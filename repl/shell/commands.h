// The shell's own commands, one row each: dispatch, :help and "did you mean" come from the row.
#pragma once

#include <optional>
#include <string_view>

#include "repl/shell/notebook.h"

namespace cudash::shell {

/// True for a line that is a command and not C++: ':' alone, or ':' and a letter (`::f()` is C++).
bool is_command(std::string_view line);

/// Runs a command; the exit code if the shell ends with it.
std::optional<int> run_command(Notebook& notebook, std::string_view line);

}  // namespace cudash::shell
