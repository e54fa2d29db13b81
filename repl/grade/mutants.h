// Mutants of a solution: its text with one mistake each. An assignment that gives one of them full marks checks too
// little.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "repl/session/code_use.h"

namespace cudash::grade {

struct Mutant {
    std::string name;  ///< what is wrong with it: "multiply returns at once"
    std::string text;
};

/// For each kernel: it does nothing, only one thread or one block of it works, or its sizes are always 64; and the
/// text without each of its barriers.
std::vector<Mutant> mutants_of(const std::string& solution);

/// The names of a text's kernels, as far as they can be read off it.
std::vector<std::string> kernel_names(const std::string& text);
/// The text with kernels that return at once: of those that it was found to define, or, without `uses`, as far as they
/// can be read off it.
std::string with_idle_kernels(const std::string& text, const std::optional<session::CodeUses>& uses);
/// The text with kernels that are only declared: `;` for their bodies.
std::string declared(const std::string& text);

}  // namespace cudash::grade
