// How what is typed at the prompt can go on: commands and their arguments here, C++ by the worker's compiler.
#pragma once

#include <string_view>

#include "repl/session/completion.h"
#include "repl/shell/notebook.h"

namespace cudash::shell {

/// `text` is the whole input up to the cursor, a cell or a command.
session::Completions complete(Notebook& notebook, std::string_view text);

/// What all candidates begin with.
std::string common_prefix(const session::Completions& completions);

/// The candidates as a list for a terminal of `width` columns: one a line with what is known of them if they are few,
/// in columns otherwise; at most `rows` lines, and a line that says how many are left out.
std::string list_completions(const session::Completions& completions, const view::Style& style, unsigned width,
                             unsigned rows);

}  // namespace cudash::shell
