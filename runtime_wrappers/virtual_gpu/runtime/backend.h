// The virtual GPU as a device behind the API: each row's body (bodies.h), called under the lock as the row's column
// says.
#pragma once

#include "runtime_wrappers/api/active.h"
#include "runtime_wrappers/api/backend.h"
#include "runtime_wrappers/virtual_gpu/runtime/gpu.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

namespace cudash::virtual_gpu::runtime {

class VirtualBackend final : public api::Backend {
public:
    explicit VirtualBackend(Gpu& gpu) : gpu_(gpu) {}

#define BACKEND_FUNCTION(name, parameters) cudaError_t name parameters override;
#include "runtime_wrappers/api/backend_functions.def"

    bool is_virtual() const override {
        return true;
    }
    std::uint64_t calls() const override {
        return gpu_.scheduler.calls();
    }
    void host_waits(double nanoseconds) override {
        gpu_.scheduler.host_waits(nanoseconds);
    }
    bool work_goes_on() override {
        return gpu_.scheduler.goes_on();
    }
    void host_frees(std::uint64_t address, const void* frame) override;
    bool is_wrong_free(std::uint64_t address, const char* function, const void* frame) override;
    Gpu& gpu() const {
        return gpu_;
    }

private:
    Gpu& gpu_;
};

/// nullptr: no runtime is open, or that of a real GPU is.
inline Gpu* gpu_of(const api::Active* runtime) {
    const bool is_virtual = runtime && runtime->backend->is_virtual();
    return is_virtual ? &static_cast<VirtualBackend*>(runtime->backend)->gpu() : nullptr;
}

}  // namespace cudash::virtual_gpu::runtime

#pragma GCC diagnostic pop
