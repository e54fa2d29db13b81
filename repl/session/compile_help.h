// Plain words for the mistakes that everyone makes with CUDA C++, beside what clang and NVRTC say of them.
#pragma once

#include <vector>

#include "runtime_wrappers/diagnostic.h"

namespace cudash::session {

/// Adds a hint to a compiler's error that has a row in the table, and leaves out what helps nobody: all but the first
/// candidates of an overloaded function.
void explain(Diagnostic& compile_error);

/// The same for everything said about a cell; also leaves out errors that only follow from another in the same line.
void explain(std::vector<Diagnostic>& compile_errors);

/// The warning that host code uses its own copy of a variable of device memory.
bool is_about_device_memory(const Diagnostic& diagnostic);

}  // namespace cudash::session
