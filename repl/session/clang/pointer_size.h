// cudaMemcpy(d, h, sizeof(d), ...) copies as many bytes as the pointer d has: 8, whatever d points to. clang's own
// -Wsizeof-pointer-memaccess knows memcpy and its like alone.
#pragma once

#include "clang/AST/Decl.h"
#include "clang/Basic/Diagnostic.h"

namespace cudash::session {

/// Warns where a call of cudaMemcpy, cudaMemset or their like gives the size of one of its own pointers.
void report_pointer_sizes(clang::Decl& top_level, clang::DiagnosticsEngine& diagnostics);

}  // namespace cudash::session
