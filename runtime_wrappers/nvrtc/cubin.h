// What a CUBIN (an ELF file) says of its kernels.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace cudash::nvrtc {

/// Registers per thread by kernel, as ptxas assigned them. Empty if `cubin` is no such file.
std::map<std::string, unsigned, std::less<>> registers_per_thread(std::string_view cubin);

}  // namespace cudash::nvrtc
