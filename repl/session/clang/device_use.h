// What only device code may use, used in host code outside functions: clang 19 checks the bodies of functions alone,
// and its code generation does not survive threadIdx in the initialiser of a variable, a statement or a lambda of a
// cell.
#pragma once

#include "clang/AST/Decl.h"
#include "clang/Basic/Diagnostic.h"

namespace cudash::session {

/// Reports an error for each such use in a statement of a cell, the initialiser of a host variable, an inline function
/// or an instance of a template; and for __launch_bounds__ of a host function. True if there was one.
bool report_device_use(clang::Decl& top_level, clang::DiagnosticsEngine& diagnostics);

}  // namespace cudash::session
