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

#define BACKEND_FUNCTION(name, parameters) cudaError_t name parameters override;
#include "runtime_wrappers/api/backend_functions.def"

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
