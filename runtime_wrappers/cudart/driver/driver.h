// The driver API, as far as NVIDIA's samples use it, over the functions of the CUDA runtime: libcuda.so.1 for programs
// that nvcc built. Since CUDA 11 the two have the same error numbers (cuda.h, driver_types.h), and their handles of
// streams, events, modules (libraries) and functions (kernels) may be given to each other.
#pragma once

#include <cuda.h>
#include <cuda_runtime_api.h>

// Some functions are kept for old programs.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

#define CUDASH_EXPORT extern "C" __attribute__((visibility("default")))

/// The runtime has one context for each device: it is what every context of that device leads to.
struct CUctx_st {
    int device;
    bool alive;
};

namespace cudash::cudart::driver {

/// By cuInit, or by the runtime.
bool is_initialized();

inline CUresult result(cudaError_t error) {
    return static_cast<CUresult>(error);
}

template <class T>
T* pointer(CUdeviceptr address) {
    return reinterpret_cast<T*>(address);
}

/// What needs a context, and finds none.
CUresult without_context();

template <class Call>
CUresult in_context(Call call) {
    const CUresult missing = without_context();
    return missing != CUDA_SUCCESS ? missing : result(call());
}

}  // namespace cudash::cudart::driver
