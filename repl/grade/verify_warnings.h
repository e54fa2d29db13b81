// What an assignment's author may not have meant: checks that decide nothing, and numbers that students can dilute.
#pragma once

#include <vector>

#include "repl/grade/checks.h"

namespace cudash::grade {

/// Warnings, each with its place.
std::vector<Diagnostic> warnings_about(const Checks& checks);

}  // namespace cudash::grade
