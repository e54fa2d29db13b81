// The virtual GPU's bodies of the CUDA runtime's functions, declared from the table. Each file of this folder defines
// those of its topic; a row that promises a body and has none does not link.
#pragma once

#include <cuda_runtime_api.h>

#include "runtime_wrappers/virtual_gpu/model/time.h"
#include "runtime_wrappers/virtual_gpu/runtime/gpu.h"

namespace cudash::virtual_gpu::runtime {

#define CUDASH_WITH_GPU(...) (Gpu & gpu __VA_OPT__(, ) __VA_ARGS__)
#define CUDASH_BODY_VIRTUAL(name, parameters) cudaError_t name CUDASH_WITH_GPU parameters;
#define CUDASH_BODY_LATE CUDASH_BODY_VIRTUAL
#define CUDASH_BODY_ALWAYS CUDASH_BODY_VIRTUAL
#define CUDASH_BODY_ANYWHERE CUDASH_BODY_VIRTUAL
#define CUDASH_BODY_NONE(name, parameters)
#define CUDASH_BODY_PURE(name, parameters)
#define CUDA_API(topic, support, real, versions, result, name, parameters, arguments) \
    CUDASH_BODY_##support(name, parameters)
#include "runtime_wrappers/api/cuda_api.def"
#undef CUDA_API
#undef CUDASH_BODY_PURE
#undef CUDASH_BODY_NONE
#undef CUDASH_BODY_ANYWHERE
#undef CUDASH_BODY_ALWAYS
#undef CUDASH_BODY_LATE
#undef CUDASH_BODY_VIRTUAL
#undef CUDASH_WITH_GPU

}  // namespace cudash::virtual_gpu::runtime
