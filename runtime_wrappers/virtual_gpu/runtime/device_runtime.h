// What the device runtime asks the virtual GPU.
#pragma once

#include <memory>

#include "runtime_wrappers/virtual_gpu/exec/child_work.h"
#include "runtime_wrappers/virtual_gpu/exec/executor.h"
#include "runtime_wrappers/virtual_gpu/runtime/gpu.h"

namespace cudash::virtual_gpu::runtime {

class DeviceRuntimeAnswers final : public DeviceRuntime {
public:
    /// Of a grid of `module` that runs on `device`.
    DeviceRuntimeAnswers(const Gpu& gpu, const LoadedModule& module, int device)
        : gpu_(gpu), module_(module), device_(device) {}

    Answer device_count() const override;
    Answer attribute(int which, int device) const override;
    Answer limit(int which) const override;
    Answer blocks_per_multiprocessor(std::string_view kernel, int threads, std::uint64_t shared) const override;
    std::string_view error_name(int error) const override;
    std::string_view error_text(int error) const override;
    std::uint64_t pending_launches() const override;

private:
    const Gpu& gpu_;
    const LoadedModule& module_;
    int device_;
};

}  // namespace cudash::virtual_gpu::runtime
