// Lambdas for devices that capture by reference: clang takes them, nvcc does not, and the references would lead to host
// memory.
#pragma once

#include "clang/AST/Decl.h"
#include "clang/Basic/Diagnostic.h"

namespace cudash::session {

/// Reports an error for each in host code.
void report_reference_captures(clang::Decl& top_level, clang::DiagnosticsEngine& diagnostics);

}  // namespace cudash::session
