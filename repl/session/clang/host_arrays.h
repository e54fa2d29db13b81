// Arrays and static members of host code in device code: NVRTC takes a constant array and the declaration of a member,
// nvcc takes neither.
#pragma once

#include "clang/AST/Decl.h"
#include "clang/Basic/Diagnostic.h"

namespace cudash::session {

/// Warns of each array that a device function reads with an index that is not constant, and of each static member that
/// it reads and that is no constant.
void report_host_arrays(clang::FunctionDecl& function, clang::DiagnosticsEngine& diagnostics);

}  // namespace cudash::session
