// The functions whose body on a real GPU is ours, declared from the table's OWN rows.
#pragma once

#include <cuda_runtime_api.h>

namespace cudash::cuda {

class RealGpu;

#define CUDASH_WITH_GPU(...) (RealGpu & gpu __VA_OPT__(, ) __VA_ARGS__)
#define CUDASH_OWN_PASS(name, parameters)
#define CUDASH_OWN_OWN(name, parameters) cudaError_t name CUDASH_WITH_GPU parameters;
#define CUDA_API(topic, support, real, versions, result, name, parameters, arguments) \
    CUDASH_OWN_##real(name, parameters)
#include "runtime_wrappers/api/cuda_api.def"
#undef CUDA_API
#undef CUDASH_OWN_OWN
#undef CUDASH_OWN_PASS
#undef CUDASH_WITH_GPU

}  // namespace cudash::cuda
