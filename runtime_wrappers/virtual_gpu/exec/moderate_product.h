// Products of real matrices whose elements have moderate exponents (semantics_tensor_moderate.h).
#pragma once

#include "runtime_wrappers/virtual_gpu/exec/matrix_fragments.h"

namespace cudash::virtual_gpu {

/// False: nothing was done, as an element's exponent is not moderate, or the operands are of other types.
bool multiply_moderate(const Fragments& fragments);

}  // namespace cudash::virtual_gpu
