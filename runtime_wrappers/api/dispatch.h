// The way of every call: from an entry point to the backend, and back through tracing and the report of failures.
#pragma once

#include <cuda_runtime_api.h>

#include <array>
#include <cstddef>

#include "runtime_wrappers/api/active.h"
#include "runtime_wrappers/api/argument.h"
#include "runtime_wrappers/api/function.h"
#include "runtime_wrappers/host_check/observe.h"

namespace cudash::api {

/// Remembers the error, traces and reports. Only called for failures, or while tracing.
cudaError_t conclude(const Active& runtime, Function function, cudaError_t status, std::span<const std::string> values);
cudaError_t without_runtime();

template <Function F, auto Call, class... Arguments>
cudaError_t dispatch(Arguments... arguments) {
    const Active* runtime = active();
    if (!runtime) return without_runtime();
    const cudaError_t status = (runtime->backend->*Call)(plain(arguments)...);
    host_check::observe<F>(*runtime, status, arguments...);
    if (status == cudaSuccess && !runtime->trace_calls) return status;
    const std::array<std::string, sizeof...(Arguments)> values = {to_text(arguments)...};
    return conclude(*runtime, F, status, values);
}

}  // namespace cudash::api
