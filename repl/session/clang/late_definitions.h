// clang generates code for static and inline functions, and for instances of templates, where they are called. A cell
// may call one that a later cell defines, as a program does whose main comes first: its code is made with that cell.
#pragma once

#include "clang/AST/DeclBase.h"
#include "clang/Frontend/CompilerInstance.h"

namespace cudash::session {

/// `declaration` has just been read, and goes to code generation next.
void emit_if_awaited(clang::Decl& declaration, clang::CompilerInstance& compiler);

}  // namespace cudash::session
