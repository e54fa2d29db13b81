// Several extern __shared__ arrays in one kernel.
#pragma once

#include "runtime_wrappers/virtual_gpu/check/findings.h"

namespace cudash::virtual_gpu {

/// Programming Guide, "__shared__": "all variables declared in this fashion, start at the same address in memory".
void find_shared_aliases(const Launch& launch, Findings& findings);

}  // namespace cudash::virtual_gpu
