// What the program has allocated on the virtual GPU and would have to free.
#pragma once

#include <vector>

#include "runtime_wrappers/host_check/leaks.h"

namespace cudash::virtual_gpu::runtime {

class Gpu;

/// In the order of allocation.
std::vector<host_check::Leak> unfreed_memory(const Gpu& gpu);

}  // namespace cudash::virtual_gpu::runtime
