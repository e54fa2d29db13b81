// What is said of a name that the compiler does not know.
#pragma once

#include <string>
#include <string_view>

#include "runtime_wrappers/diagnostic.h"

namespace cudash::session {

/// What help_with_name begins with where CUDA 13 has something else.
inline constexpr std::string_view removed_by_cuda_13 = "CUDA 13 removed it";

/// The header that has the name, or what CUDA 13 has in the place of one that it removed; empty: nothing is known.
std::string help_with_name(const Diagnostic& diagnostic);

}  // namespace cudash::session
