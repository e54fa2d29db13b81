// clang 19 can't clean up after a cell that has errors and an unnamed declaration at its top level (an unnamed struct
// or namespace, a lambda's class, a using directive, or what it makes of a redefined struct), so those get a name
// before it tries. The cell is dropped anyway.
#pragma once

#include "clang/AST/ASTContext.h"

namespace clang {
class CompilerInstance;
}

namespace cudash::session {

void name_the_unnamed(clang::ASTContext& context);

/// Does so from now on when a text that has errors is parsed to its end. An error that clang finds after that, in what
/// it instantiates last, asks for name_the_unnamed itself.
void name_the_unnamed_of_failed_cells(clang::CompilerInstance& compiler);

}  // namespace cudash::session
