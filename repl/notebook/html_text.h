// Text of a terminal as HTML, for pages with a light or a dark background.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace cudash::notebook {

/// The text with `&`, `<`, `>` and quotes escaped.
std::string escape_html(std::string_view text);

/// A <pre> element: colors and weights as SGR sequences have them. Lines for which `is_marked` (it gets them without
/// sequences) have a background.
std::string html_text(std::string_view text, const std::function<bool(std::string_view line)>& is_marked = {});

}  // namespace cudash::notebook
