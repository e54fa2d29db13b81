// The way of every call: from an entry point to the backend, and back through tracing and the report of failures.
#pragma once

#include <cuda_runtime_api.h>

#include <array>
#include <cstddef>

#include "runtime_wrappers/api/active.h"
#include "runtime_wrappers/api/argument.h"
#include "runtime_wrappers/api/function.h"
#include "runtime_wrappers/cuda/real_gpu.h"
#include "runtime_wrappers/host_check/observe.h"
#include "runtime_wrappers/virtual_gpu/runtime/gpu.h"

namespace cudash::api {

/// In a row's body column where there is none.
struct NoBody {};
inline constexpr NoBody no_body;

/// Remembers the error, traces and reports. Only called for failures, or while tracing.
cudaError_t conclude(const Active& runtime, Function function, cudaError_t status, std::span<const std::string> values);
cudaError_t without_runtime();
/// The virtual GPU has no body for it.
cudaError_t not_implemented(Function function);

template <Function F, class VirtualBody, class... Arguments>
cudaError_t on_virtual(virtual_gpu::runtime::Gpu& gpu, VirtualBody body, Arguments... arguments) {
    constexpr bool missing = std::is_same_v<VirtualBody, NoBody>;
    virtual_gpu::runtime::Gpu::Call call(gpu, info(F).support);
    if (call.status() != cudaSuccess) return call.status();
    if constexpr (missing)
        return not_implemented(F);
    else
        return body(gpu, plain(arguments)...);
}

template <Function F, class Signature, class RealBody, class... Arguments>
cudaError_t on_real(cuda::RealGpu& gpu, RealBody body, Arguments... arguments) {
    if constexpr (std::is_same_v<RealBody, NoBody>) {
        auto function = reinterpret_cast<Signature>(gpu.function(F));
        if (!function) return cudaErrorNotSupported;
        cudaError_t status = cudaSuccess;
        auto call = [&](auto... translated) { return status == cudaSuccess ? function(translated...) : status; };
        return call(gpu.translate(arguments, status)...);
    } else {
        return body(gpu, plain(arguments)...);
    }
}

template <Function F, class Signature, class VirtualBody, class RealBody, class... Arguments>
cudaError_t dispatch(VirtualBody virtual_body, RealBody real_body, Arguments... arguments) {
    const Active* runtime = active();
    if (!runtime) return without_runtime();
    const cudaError_t status = runtime->virtual_gpu
                                   ? on_virtual<F>(*runtime->virtual_gpu, virtual_body, arguments...)
                                   : on_real<F, Signature>(*runtime->real_gpu, real_body, arguments...);
    host_check::observe<F>(*runtime, status, arguments...);
    if (status == cudaSuccess && !runtime->trace_calls) return status;
    const std::array<std::string, sizeof...(Arguments)> values = {to_text(arguments)...};
    return conclude(*runtime, F, status, values);
}

}  // namespace cudash::api
