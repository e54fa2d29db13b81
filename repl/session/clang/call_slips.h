// Arguments of the runtime's calls that compile and can't be what is meant: the address of a std::vector in place of
// its elements', a copy that goes beyond a host variable, a cudaMemset that sets bytes where elements are meant, and a
// __device__ pointer that cudaMalloc is to fill.
#pragma once

#include "clang/AST/Decl.h"
#include "clang/Basic/Diagnostic.h"

namespace cudash::session {

void report_call_slips(clang::Decl& top_level, clang::DiagnosticsEngine& diagnostics);

}  // namespace cudash::session
