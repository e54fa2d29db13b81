// The glossary: lessons/glossary.md, a `## term` and its sentences each.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runtime_wrappers/result.h"

namespace cudash::lesson {

struct Term {
    std::string name;
    std::vector<std::string> also;  ///< other names, from its line "Also: a, b."
    std::string text;               ///< Markdown
};

/// The terms of glossary.md's text, in its order.
std::vector<Term> read_terms(std::string_view markdown);

/// What a student means by `wanted`: a name or another name, in any case, singular or plural, or the one that begins
/// so.
const Term* find_term(const std::vector<Term>& terms, std::string_view wanted);

/// `wanted`'s entry as Markdown; without a term, the names of all. The error says what is nearest.
Result<std::string> look_up(const std::string& lessons, std::string_view wanted);

}  // namespace cudash::lesson
