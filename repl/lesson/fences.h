// The fenced blocks of a Markdown document and where they stand in its text.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cudash::lesson {

struct Line {
    std::size_t begin = 0, end = 0;  ///< `end` after the line end
    std::string_view text;           ///< without it
};
std::vector<Line> lines_of(std::string_view text);

struct Fence {
    std::string language;                              ///< the first word of its info string
    std::string marks;                                 ///< the words after it
    unsigned line = 0;                                 ///< of its opening, from 1
    std::size_t begin = 0, end = 0;                    ///< with its opening and closing lines
    std::size_t contents_begin = 0, contents_end = 0;  ///< whole lines
    bool closed = true;

    std::string_view contents(std::string_view document) const {
        return document.substr(contents_begin, contents_end - contents_begin);
    }
};

/// In their order, without code that is only indented. nullopt: the Markdown can't be parsed.
std::optional<std::vector<Fence>> find_fences(std::string_view document);

}  // namespace cudash::lesson
