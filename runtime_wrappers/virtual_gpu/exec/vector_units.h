// Which of the executor's builds the dynamic loader chose: one for each level of the processor's vector units
// (runtime_wrappers/CMakeLists.txt).
#pragma once

#include <string_view>

namespace cudash::virtual_gpu {

/// "AVX-512", "AVX2", "SSE2", "NEON", or "no vector units": what the loops over a warp's lanes are compiled for.
std::string_view vector_units();

}  // namespace cudash::virtual_gpu
