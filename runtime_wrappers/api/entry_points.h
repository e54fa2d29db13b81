// The functions that interpreted code calls under the names of the CUDA runtime, derived from cuda_api.def.
#pragma once

#include <cuda_profiler_api.h>
#include <cuda_runtime_api.h>

#include <cstddef>

namespace cudash::api::entry {

#define CUDASH_VARIANT_ONE(result, name, parameters)
#define CUDASH_VARIANT_PTDS(result, name, parameters) result name##_ptds parameters;
#define CUDASH_VARIANT_PTSZ(result, name, parameters) result name##_ptsz parameters;
#define CUDA_API(topic, support, real, versions, result, name, parameters, arguments) \
    result name parameters;                                                           \
    CUDASH_VARIANT_##versions(result, name, parameters)
#include "runtime_wrappers/api/cuda_api.def"
#undef CUDA_API
#undef CUDASH_VARIANT_PTSZ
#undef CUDASH_VARIANT_PTDS
#undef CUDASH_VARIANT_ONE

// What the compiler makes of kernel<<<grid, block, shared, stream>>>(...): the configuration is pushed, and popped by
// the kernel's stub, which calls cudaLaunchKernel (crt/host_runtime.h).
unsigned push_call_configuration(dim3 grid, dim3 block, std::size_t shared, cudaStream_t stream);
cudaError_t pop_call_configuration(dim3* grid, dim3* block, std::size_t* shared, void* stream);

}  // namespace cudash::api::entry
