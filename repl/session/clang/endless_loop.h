// `for (int i = 0; i < n; +i)` and `for (i = 1; i = 4; ++i)`: loops of one slip that nothing ends.
#pragma once

#include "clang/AST/Decl.h"
#include "clang/Basic/Diagnostic.h"

namespace cudash::session {

/// A loop with a condition that can't change is an error in a statement, which would run at once, and a warning in a
/// function. `for (;;)` and `while (true)` say what they mean.
void report_endless_loops(clang::Decl& top_level, clang::DiagnosticsEngine& diagnostics);

}  // namespace cudash::session
