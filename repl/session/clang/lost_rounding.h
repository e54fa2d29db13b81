// `N + (threads - 1) / threads`: one bracket too late, and the division that was to round up is 0. A grid of so many
// blocks has one for each element.
#pragma once

#include "clang/AST/Decl.h"
#include "clang/Basic/Diagnostic.h"

namespace cudash::session {

/// Warns of each such sum in a declaration or statement of a cell.
void report_lost_rounding(clang::Decl& top_level, clang::DiagnosticsEngine& diagnostics);

}  // namespace cudash::session
