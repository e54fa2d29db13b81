// What the code that nvcc adds to a program calls (crt/host_runtime.h): it registers device code before main begins,
// and launches kernels.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

#include "runtime_wrappers/cudart/registered_code.h"

namespace cudash::cudart {

/// Of this process. It is never destroyed: destructors of the program may still use it.
RegisteredCode& registered_code();
/// Whether the call that this thread makes is what kernel<<<...>>>(...) has become.
bool is_launching();

}  // namespace cudash::cudart
