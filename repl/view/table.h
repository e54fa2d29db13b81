// Tables as text: columns side by side, as wide as their longest cell.
#pragma once

#include <string>

#include "repl/session/outcome.h"
#include "repl/view/style.h"

namespace cudash::view {

/// `width` columns of the terminal, 0 for no limit: what is too long for it goes on in the lines below, within its
/// column. Numbers are never broken; columns that do not fit then follow below, after the first one once more. An empty
/// table says so.
std::string print(const session::Table& table, const Style& style, unsigned width);

}  // namespace cudash::view
