// Arrays of host code in device code: NVRTC takes a constant one, nvcc does not.
#pragma once

#include "clang/AST/Decl.h"
#include "clang/Basic/Diagnostic.h"

namespace cudash::session {

/// Warns of each that a device function reads with an index that is not constant.
void report_host_arrays(clang::FunctionDecl& function, clang::DiagnosticsEngine& diagnostics);

}  // namespace cudash::session
