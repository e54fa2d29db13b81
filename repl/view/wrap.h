// Text in lines that a terminal has room for.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace cudash::view {

/// What becomes of a word that is longer than a line.
enum class LongWords { kept, broken };

/// `text`, a single line, as lines of at most `columns`, broken at spaces; 0: not broken. The first line has `used`
/// columns less; those after it begin with `indent`. Text that fits stays as it is.
std::vector<std::string> wrap(std::string_view text, std::size_t columns, std::size_t used, std::string_view indent,
                              LongWords long_words);

/// A row of a list: a name, and from `column` on what is said of it, wrapped to `columns` (0: not). A name that is too
/// long for its place has a line of its own.
std::string entry(std::string_view name, std::string_view text, std::size_t column, std::size_t columns);

}  // namespace cudash::view
