// Which cells are worth optimizing.
#pragma once

#include "clang/AST/Decl.h"

namespace cudash::session {

/// True if host code that stands in a cell has a `for` that counts and may take longer than to optimize it does.
/// `while` and `for (; !done;)` may wait for what another thread or a kernel writes, of which optimized code takes no
/// notice.
bool has_long_loop(const clang::TranslationUnitDecl& cell);

}  // namespace cudash::session
