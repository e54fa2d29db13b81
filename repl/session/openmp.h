// OpenMP's functions for programs that include <omp.h>.
#pragma once

#include <string_view>

namespace cudash::session {

/// The function of GCC's libgomp, which is opened when the first is asked for; nullptr for other names, or without it.
const void* openmp_function(std::string_view name);

}  // namespace cudash::session
