// What is entered while a launch stands in the debugger: lines, not cells.
#pragma once

#include <optional>
#include <string_view>

#include "repl/shell/notebook.h"

namespace cudash::shell {

/// The exit code if the shell ends with it.
std::optional<int> debug_line(Notebook& notebook, std::string_view line);
/// Gives the lines of `text` to the debugger as long as a launch stands there; the result: what is left.
std::string_view feed_debugger(Notebook& notebook, std::string_view text);

}  // namespace cudash::shell
