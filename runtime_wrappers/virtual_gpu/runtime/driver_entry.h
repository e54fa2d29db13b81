// The functions of the driver API that the virtual GPU has of its own: the rows of api/driver_calls.def.
#pragma once

#include <cuda.h>

#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "runtime_wrappers/api/active.h"
#include "runtime_wrappers/api/argument.h"
#include "runtime_wrappers/virtual_gpu/runtime/gpu.h"

namespace cudash::virtual_gpu::runtime {

/// Such a function for code that has no libcuda: cells, and programs that ask cudaGetDriverEntryPoint for it. nullptr
/// for other names.
const void* driver_function(std::string_view name);

/// Says what became of a call.
void conclude_driver_call(const api::Active& runtime, std::string_view name, std::string_view arguments,
                          CUresult result, const std::string* values, std::size_t count);

template <class Body, class... Arguments>
CUresult serve_driver_call(std::string_view name, std::string_view names, const void* frame, Body body,
                           Arguments... arguments) {
    const api::ServedCall served(frame);
    const api::Active* const runtime = api::active();
    if (!runtime || !runtime->virtual_gpu) return CUDA_ERROR_NOT_INITIALIZED;
    CUresult status;
    {
        Gpu::Call call(*runtime->virtual_gpu, api::Support::ALWAYS);
        status = static_cast<CUresult>(call.status());
        if (status == CUDA_SUCCESS) status = body(*runtime->virtual_gpu, arguments...);
    }
    if (status == CUDA_SUCCESS && !runtime->trace_calls) return status;
    const std::array<std::string, sizeof...(Arguments)> values = {api::to_text(arguments)...};
    conclude_driver_call(*runtime, name, names, status, values.data(), values.size());
    return status;
}

}  // namespace cudash::virtual_gpu::runtime

#define CUDASH_ARGUMENTS(...) __VA_ARGS__
