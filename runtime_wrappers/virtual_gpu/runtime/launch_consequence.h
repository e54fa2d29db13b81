// What the end of a kernel means to CUDA's runtime.
#pragma once

#include <cuda_runtime_api.h>

#include "runtime_wrappers/virtual_gpu/exec/executor.h"

namespace cudash::virtual_gpu::runtime {

struct Consequence {
    cudaError_t error;
    bool loses_context;  ///< the error is sticky
};
Consequence consequence_of(LaunchStatus status);

}  // namespace cudash::virtual_gpu::runtime
