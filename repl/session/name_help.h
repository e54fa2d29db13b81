// What is said of a name that the compiler does not know.
#pragma once

#include <string>

#include "runtime_wrappers/diagnostic.h"

namespace cudash::session {

/// The header that has the name, or what CUDA 13 has in the place of one that it removed; empty: nothing is known.
std::string help_with_name(const Diagnostic& diagnostic);

}  // namespace cudash::session
