// What device code can use of <cub/cub.cuh>, which NVRTC refuses: it includes algorithms of whole devices, too.
#pragma once

#include <string>
#include <string_view>

namespace cudash::session {

/// The #include lines of CUB's headers for blocks, warps and threads, by the toolkit's folders; empty: it has no CUB.
const std::string& cub_headers_for_devices();

/// The header that includes all of CUB.
inline constexpr std::string_view all_of_cub = "cub/cub.cuh";

}  // namespace cudash::session
