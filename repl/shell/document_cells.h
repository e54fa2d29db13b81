// Code as documents have it: cells and, on lines of their own, the shell's commands.
#pragma once

#include <string_view>

#include "repl/shell/notebook.h"

namespace cudash::shell {

/// Runs the pieces of cut_at_commands (split_input.h) in order, and stops where the program exits or the worker is
/// lost. Returns the last cell's outcome.
session::Outcome run_document_cells(Notebook& notebook, std::string_view text);

}  // namespace cudash::shell
