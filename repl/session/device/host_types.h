// The integer types of <stdint.h> and <sys/types.h>, which nvcc's device code has from any host header, as the host has
// them: int64_t is long here, so that kernels have the names by which the host calls them.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cudash::session {

/// Their declarations, in :: and in std.
std::string_view host_types();

/// Headers, each a name and a text, that take these types where the toolkit's declare their own for NVRTC (64-bit ones
/// are long long there): libcu++'s <cuda/std/cstdint>, <cuda_pipeline.h>, <cuda_awbarrier.h> and what those include.
const std::vector<std::pair<std::string, std::string>>& host_type_twins();

}  // namespace cudash::session
