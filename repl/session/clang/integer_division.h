// ceil(n / 256) and 1 / 2 * x: quotients of integers, rounded down to an integer before they become a floating-point
// number. clang-tidy's bugprone-integer-division tells all such quotients; here are those that can't be meant.
#pragma once

#include "clang/AST/Decl.h"
#include "clang/Basic/Diagnostic.h"

namespace cudash::session {

/// Warns of each quotient that ceil is to round up, and of each that is 0 but for one divisor.
void report_integer_divisions(clang::Decl& top_level, clang::DiagnosticsEngine& diagnostics);

}  // namespace cudash::session
