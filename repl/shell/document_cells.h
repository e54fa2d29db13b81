// Code as documents have it: cells and, on lines of their own, the shell's commands.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "repl/shell/notebook.h"

namespace cudash::shell {

/// `text` cut at the lines that are commands: as in the shell, those that stand where a cell is complete. What is
/// between them stays together.
std::vector<std::string> cut_at_commands(std::string_view text);

/// Runs them in order, and stops where the program exits or the worker is lost. Returns the last cell's outcome.
session::Outcome run_document_cells(Notebook& notebook, std::string_view text);

}  // namespace cudash::shell
