// The integer types of <stdint.h> and <sys/types.h>, which nvcc's device code has from any host header, as the host has
// them: int64_t is long here, so that kernels have the names by which the host calls them.
#pragma once

#include <string_view>

namespace cudash::session {

/// Their declarations, in :: and in std.
std::string_view host_types();

/// What stands in for libcu++'s own <cuda/std/cstdint>, whose int64_t is long long under NVRTC. It needs host_types().
std::string_view cstdint_twin();
inline constexpr std::string_view cstdint_twin_name = "cuda/std/cstdint";

}  // namespace cudash::session
