// clang 19 can't clean up after a cell that has errors and an unnamed declaration at its top level (an unnamed struct
// or namespace, a lambda's class, a using directive, or what it makes of a redefined struct), so those get a name
// before it tries. The cell is dropped anyway.
#pragma once

#include "clang/AST/ASTContext.h"

namespace cudash::session {

void name_the_unnamed(clang::ASTContext& context);

}  // namespace cudash::session
