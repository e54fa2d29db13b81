// What access policy windows ask of the part of the L2 cache that is set aside for persisting accesses (CUDA
// Programming Guide, "Device Memory L2 Access Management"). Kernels that work at once share it, and lines stay
// persisting after the kernel that made them so, until they are reset.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <vector>

#include "runtime_wrappers/virtual_gpu/stream/operation.h"

namespace cudash::virtual_gpu::runtime {

class Gpu;

class PersistingL2 {
public:
    /// A kernel was launched with this window. Warns where the windows that it shares the set-aside with want more than
    /// there is. The automatic reset comes at a time that nobody knows: it is not counted on.
    void launched(Gpu& gpu, const OperationPtr& kernel, const cudaAccessPolicyWindow& window);
    /// cudaCtxResetPersistingL2Cache: lines that persist on the device become normal.
    void reset(int device);
    /// cudaDeviceReset.
    void end_device(int device);

private:
    struct Window {
        std::uintptr_t base = 0;
        std::uint64_t size = 0;    ///< bytes
        OperationPtr kernel{};     ///< the newest with it
        std::uint64_t wanted = 0;  ///< bytes to persist: size * hitRatio
        bool left = true;          ///< its lines persist when the kernel has ended
    };
    void warn(Gpu& gpu, const Window& newest, std::size_t kernels, std::uint64_t wanted, std::uint64_t left);

    std::vector<Window> windows_;
    std::uint64_t told_ = 0;  ///< what the last warning was about
};

}  // namespace cudash::virtual_gpu::runtime
