// Which cells are worth optimizing.
#pragma once

#include "clang/AST/Decl.h"

namespace cudash::session {

/// True if host code that stands in a cell has a loop that may go round often. Of a loop that waits for something, and
/// of one with few rounds, optimized code gains nothing.
bool has_long_loop(const clang::TranslationUnitDecl& cell);

}  // namespace cudash::session
