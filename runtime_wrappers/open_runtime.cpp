#include "runtime_wrappers/open_runtime.h"

#include "runtime_wrappers/api/served.h"
#include "runtime_wrappers/cuda/real_runtime.h"
#include "runtime_wrappers/virtual_gpu/runtime/virtual_runtime.h"

namespace cudash {

Result<std::unique_ptr<api::Runtime>> open_runtime(const api::Options& options, api::DeviceCode& code,
                                                   api::Events events) {
    using Backend = api::DeviceSelection::Backend;
    if (api::active()) return error("runtime-in-use", "a CUDA runtime is open already in this process");
    auto served = std::make_unique<api::Served>(code, std::move(events), options);
    if (options.device.backend != Backend::virtual_gpu) {
        auto real = cuda::create_real(options, served);
        if (real || !served || options.device.backend == Backend::gpu) return real;
    }
    return virtual_gpu::runtime::create_virtual(options, std::move(served));
}

}  // namespace cudash
