// CUDA C++ in colour.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "repl/view/style.h"

namespace cudash::view {

/// Bytes [begin, end) of a text, drawn alike.
struct PaintedRun {
    enum class Paint { plain, command, keyword, cuda, comment, literal };
    Paint paint = Paint::plain;
    std::size_t begin = 0, end = 0;
};

/// The runs of `text`, one after the other, without gaps. A text that begins with ':' is a command.
std::vector<PaintedRun> paint(std::string_view text);
/// `part` as a run of this kind is drawn.
std::string painted(PaintedRun::Paint paint, std::string_view part, const Style& style);

/// `text` with its comments, literals, directives, keywords and CUDA's own words in colour; as it is without colour.
std::string highlight(std::string_view text, const Style& style);

/// The bracket at `cursor`, or else just before it, and its partner; brackets in comments and literals do not count.
/// nullopt: there is no bracket at the cursor, or it has no partner.
std::optional<std::pair<std::size_t, std::size_t>> matching_brackets(std::string_view text,
                                                                     const std::vector<PaintedRun>& runs,
                                                                     std::size_t cursor);

}  // namespace cudash::view
