// How many registers a kernel's PTX names: a bound on what the device code needs, known without compiling it.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace cudash::virtual_gpu::runtime {

/// By kernel, in 32-bit registers, of all functions of the module together with the kernel's own.
std::map<std::string, unsigned, std::less<>> register_bounds(std::string_view ptx);

}  // namespace cudash::virtual_gpu::runtime
