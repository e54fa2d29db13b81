// Text of a terminal as HTML, for pages with a light or a dark background.
#pragma once

#include <string>
#include <string_view>

namespace cudash::notebook {

/// The text with `&`, `<`, `>` and quotes escaped.
std::string escape_html(std::string_view text);

/// A <pre> element: colors and weights as SGR sequences have them.
std::string html_text(std::string_view text);

}  // namespace cudash::notebook
