// Markdown as text for a terminal.
#pragma once

#include <string>
#include <string_view>

#include "repl/view/style.h"

namespace cudash::view {

/// Headings, paragraphs, lists, quotes, tables, code, emphasis and links, wrapped to `width` columns (0: 80). Without
/// colour, emphasis and code keep their marks. Ends with a line end; an empty text gives an empty one.
std::string print_markdown(std::string_view markdown, const Style& style, unsigned width);

}  // namespace cudash::view
