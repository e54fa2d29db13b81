// What editing a cell of several lines needs to know of its text. Places in text count its characters.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace cudash::shell {

/// A step of indentation.
inline constexpr std::size_t indent_width = 4;

/// Where the line that holds `at` begins and ends, without its line end.
std::size_t line_begin(std::wstring_view text, std::size_t at);
std::size_t line_end(std::wstring_view text, std::size_t at);
/// The same column of the line before or after, or that line's end; nullopt where there is none.
std::optional<std::size_t> line_up(std::wstring_view text, std::size_t at);
std::optional<std::size_t> line_down(std::wstring_view text, std::size_t at);
/// The beginning of the word at or before `at`, and the end of the one at or after it.
std::size_t word_begin(std::wstring_view text, std::size_t at);
std::size_t word_end(std::wstring_view text, std::size_t at);
/// Nothing but white space stands before `at` in its line.
bool is_in_indentation(std::wstring_view text, std::size_t at);

/// Spaces that a line after `before` begins with: as the last line, and a step more where a bracket is open.
std::size_t indentation_after(std::wstring_view before);
/// The indentation of the line whose `{` a `}` after `before` would close; nullopt if none is open.
std::optional<std::size_t> closing_indentation(std::wstring_view before);

/// A place on a terminal, counted from where something began.
struct Place {
    std::size_t row = 0, column = 0;
};
/// Where the cursor is after `text`, of a terminal of `width` columns that wraps at once.
Place place_after(std::wstring_view text, std::size_t width, Place begin = {});

}  // namespace cudash::shell
