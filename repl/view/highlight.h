// CUDA C++ in colour.
#pragma once

#include <string>
#include <string_view>

#include "repl/view/style.h"

namespace cudash::view {

/// `text` with its comments, literals, directives, keywords and CUDA's own words in colour; as it is without colour.
/// A line that begins with ':' is a command.
std::string highlight(std::string_view text, const Style& style);

}  // namespace cudash::view
