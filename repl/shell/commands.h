// The shell's own commands, one row each: dispatch, :help and "did you mean" come from the row.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "repl/shell/notebook.h"

namespace cudash::shell {

/// The command that a line is or stands for, empty if it is C++: ':' alone, or ':' and a letter (`::f()` is C++); and
/// what other shells have: `help` and `?`, `quit` and `exit`, `name?` for `:about name`, `!ls` for `:shell ls`.
std::string as_command(std::string_view line);
bool is_command(std::string_view line);

/// What :help lists, wrapped to `width` columns (0: not), but for the commands named in `without`.
std::string list_commands(unsigned width, std::span<const std::string_view> without);

/// Runs a command; the exit code if the shell ends with it.
std::optional<int> run_command(Notebook& notebook, std::string_view line);

}  // namespace cudash::shell
