// Hints for what people type who think of another language or program: `ls -l`, `x = 5`, `print(x)`, `a[1:3]`, `8M`.
#pragma once

#include <string_view>
#include <vector>

#include "runtime_wrappers/diagnostic.h"

namespace cudash::session {

/// Adds a hint to each diagnostic that has none, if its message and its line of `text`, which is the cell's, tell what
/// was meant.
void explain_slips(std::vector<Diagnostic>& diagnostics, std::string_view cell, std::string_view text);

}  // namespace cudash::session
