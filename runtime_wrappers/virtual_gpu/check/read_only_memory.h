// Memory of which nothing can be said in a launch: the kernel only reads it, and all of it was written before.
#pragma once

#include <vector>

#include "runtime_wrappers/virtual_gpu/check/written_bytes.h"

namespace cudash::virtual_gpu {

/// The allocations behind the launch's parameters that the kernel loads from and never stores to. Empty where the
/// analysis behind PointerParameter (isa/decode/access_order.h) does not know all stores.
std::vector<UnobservedRange> find_read_only_memory(const Launch& launch, DeviceWrittenBytes& written);

}  // namespace cudash::virtual_gpu
