// The comment lines that a stored submission begins with: what must become of it.
//
//     // POINTS: 3.5
//     // REPLY: part of the reply
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "runtime_wrappers/diagnostic.h"

namespace cudash::grade {

struct HeaderLine {
    std::string_view word, value;  ///< "POINTS", "3.5"
    unsigned line = 0;             ///< from 1
};

/// The lines `// WORD: value` among the comment lines that `text` begins with. A word is of capital letters.
std::vector<HeaderLine> submission_header(std::string_view text);

/// The first line whose word is none of `words`; nullopt: there is none.
std::optional<Diagnostic> unknown_word(const std::vector<HeaderLine>& header,
                                       const std::vector<std::string_view>& words, std::string_view path);

}  // namespace cudash::grade
