// An array of the host that is read, or added to, although nothing sets its elements: what a forgotten cudaMemcpy back
// to the host leaves. clang's own -Wuninitialized looks at scalars alone.
#pragma once

#include "clang/AST/Decl.h"
#include "clang/Basic/Diagnostic.h"

namespace cudash::session {

/// Warns of each local array, and each pointer to what malloc or new[] gives, whose every use in its function reads it.
/// One use that could write to it (a call that takes it, its address) is enough to be silent.
void report_unset_arrays(clang::Decl& top_level, clang::DiagnosticsEngine& diagnostics);

}  // namespace cudash::session
