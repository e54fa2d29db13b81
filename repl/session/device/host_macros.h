// The macros of the C library's headers that device code uses, too: NVRTC has no such headers, and those of the host
// are not for it.
#pragma once

#include <string_view>

namespace cudash::session {

/// Definitions of the macros of <limits.h>, <stdint.h>, <float.h> and <math.h> that are not defined already.
std::string_view host_macros();

}  // namespace cudash::session
