// Launches that do not fit the kernel.
#pragma once

#include "runtime_wrappers/virtual_gpu/check/findings.h"

namespace cudash::virtual_gpu {

/// grid.sync() needs a cooperative launch (Programming Guide, "Grid Synchronization"); all extern __shared__ arrays of
/// a kernel begin at the same address ("__shared__").
void check_launch(Findings& findings);

}  // namespace cudash::virtual_gpu
