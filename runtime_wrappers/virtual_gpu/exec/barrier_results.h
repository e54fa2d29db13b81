// What bar.red gives to threads that waited.
#pragma once

#include "runtime_wrappers/virtual_gpu/exec/block.h"

namespace cudash::virtual_gpu {

/// Writes the result of a completed bar.red for the lanes of a fragment that waits at one; nothing for other barriers.
void write_barrier_result(const Fragment& fragment, const Barrier& barrier);

}  // namespace cudash::virtual_gpu
