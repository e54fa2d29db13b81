// A real GPU as a device behind the API: libcudart's functions, and own bodies (own_bodies.h) where those would need
// what nvcc registers.
#pragma once

#include "runtime_wrappers/api/backend.h"
#include "runtime_wrappers/cuda/real_gpu.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

namespace cudash::cuda {

class RealBackend final : public api::Backend {
public:
    explicit RealBackend(RealGpu& gpu) : gpu_(gpu) {}

#define CUDASH_BACKEND_VIRTUAL(name, parameters) cudaError_t name parameters override;
#define CUDASH_BACKEND_LATE CUDASH_BACKEND_VIRTUAL
#define CUDASH_BACKEND_ALWAYS CUDASH_BACKEND_VIRTUAL
#define CUDASH_BACKEND_ANYWHERE CUDASH_BACKEND_VIRTUAL
#define CUDASH_BACKEND_NONE CUDASH_BACKEND_VIRTUAL
#define CUDASH_BACKEND_PURE(name, parameters)
#define CUDA_API(topic, support, real, versions, result, name, parameters, arguments) \
    CUDASH_BACKEND_##support(name, parameters)
#include "runtime_wrappers/api/cuda_api.def"
#undef CUDA_API
#undef CUDASH_BACKEND_PURE
#undef CUDASH_BACKEND_NONE
#undef CUDASH_BACKEND_ANYWHERE
#undef CUDASH_BACKEND_ALWAYS
#undef CUDASH_BACKEND_LATE
#undef CUDASH_BACKEND_VIRTUAL

    bool is_virtual() const override {
        return false;
    }
    void note_failure(cudaError_t status) override {
        gpu_.note_failure(status);
    }

private:
    RealGpu& gpu_;
};

}  // namespace cudash::cuda

#pragma GCC diagnostic pop
