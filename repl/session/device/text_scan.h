// A light look at C++ text: where directives, comments, strings and code are. No more than a lexer's first step.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace cudash::session {

/// A run of text of one kind, bytes [begin, end).
struct TextRun {
    enum class Kind { code, comment, literal, directive };
    Kind kind = Kind::code;
    std::size_t begin = 0, end = 0;
};

/// Part of an identifier or number.
bool is_word(char c);
/// Whether the text has the identifier `word`, in code or elsewhere.
bool has_word(std::string_view text, std::string_view word);

/// Splits `text` into runs. A directive runs from its '#' to the end of its (possibly continued) line.
std::vector<TextRun> scan_text(std::string_view text);

/// The length of the part of `text` that holds only directives, comments and blank lines, up to a line's start; never
/// ends inside an #if.
std::size_t leading_directives(std::string_view text);

}  // namespace cudash::session
