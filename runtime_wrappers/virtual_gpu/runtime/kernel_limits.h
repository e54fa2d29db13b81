// What limits a kernel's launch beyond the device's own limits.
#pragma once

#include "runtime_wrappers/virtual_gpu/model/occupancy.h"
#include "runtime_wrappers/virtual_gpu/runtime/gpu.h"

namespace cudash::virtual_gpu::runtime {

/// Dynamic shared memory that a launch may ask for: what the kernel opted in to, else what is free without.
unsigned max_dynamic_shared(const Gpu& gpu, const Kernel& kernel);

/// Threads of a block: launch bounds, device, and registers where they matter.
unsigned max_threads(Gpu& gpu, const Kernel& kernel);

/// What one block takes. `registers` 0 where they are not known, and then no limit.
Occupancy occupancy_of(Gpu& gpu, const Kernel& kernel, unsigned threads, std::size_t dynamic_shared);

}  // namespace cudash::virtual_gpu::runtime
