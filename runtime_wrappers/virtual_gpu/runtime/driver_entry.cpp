#include "runtime_wrappers/virtual_gpu/runtime/driver_entry.h"

#include <cuda.h>

#include <array>
#include <span>
#include <string>
#include <utility>

#include "runtime_wrappers/api/active.h"
#include "runtime_wrappers/api/argument.h"
#include "runtime_wrappers/api/error_names.h"
#include "runtime_wrappers/virtual_gpu/runtime/backend.h"

namespace cudash::virtual_gpu::runtime {
namespace {

/// Says what became of a call.
void conclude(const api::Active& runtime, std::string_view name, std::string_view arguments, cudaError_t status,
              std::span<const std::string> values) {
    const std::string call = api::describe_call(name, arguments, values);
    if (runtime.trace_calls && runtime.events.trace) runtime.events.trace(call, api::error_name(status));
    const api::Explanation explanation = std::exchange(api::thread_state().explanation, {});
    if (status == cudaSuccess || explanation.told || explanation.cause.empty() || !runtime.events.diagnostic) return;
    // A program may ask for what it expects to be refused; a hint is there for what no program means to do.
    const bool report = runtime.report_errors || !explanation.hint.empty();
    if (!report && !runtime.keep_failed_calls) return;
    Diagnostic found = error(api::diagnostic_code(status),
                             fmt::format("{} failed with {} ({}): {}", call, api::error_name(status),
                                         static_cast<int>(status), explanation.cause),
                             explanation.hint);
    const api::CallPlace place = runtime.place();
    found.where = place.where;
    if (report)
        runtime.events.diagnostic(found);
    else
        runtime.failed_calls.add({api::FailedCalls::no_thread, status, std::move(found), place.discarded});
}

template <class Body, class... Arguments>
CUresult serve(std::string_view name, std::string_view names, const void* frame, Body body, Arguments... arguments) {
    const api::ServedCall served(frame);
    const api::Active* const runtime = api::active();
    Gpu* const gpu = gpu_of(runtime);
    if (!gpu) return CUDA_ERROR_NOT_INITIALIZED;
    CUresult status;
    {
        Gpu::Call call(*gpu, api::Support::ALWAYS);
        status = static_cast<CUresult>(call.status());
        if (status == CUDA_SUCCESS) status = body(*gpu, arguments...);
    }
    if (status == CUDA_SUCCESS && !runtime->trace_calls) return status;
    const std::array<std::string, sizeof...(Arguments)> values = {api::to_text(arguments)...};
    conclude(*runtime, name, names, static_cast<cudaError_t>(status), values);
    return status;
}

#define CUDASH_ARGUMENTS(...) __VA_ARGS__
#define DRIVER_CALL(when, name, parameters, arguments)                                                        \
    CUresult entry_##name parameters {                                                                        \
        return serve(#name, #arguments, __builtin_frame_address(0), name##_body, CUDASH_ARGUMENTS arguments); \
    }
#include "runtime_wrappers/api/driver_calls.def"
#undef DRIVER_CALL
#undef CUDASH_ARGUMENTS

struct Row {
    std::string_view name;
    const void* function;
};

}  // namespace

const void* driver_function(std::string_view name) {
    static const Row rows[] = {
#define DRIVER_CALL(when, name, parameters, arguments) {#name, reinterpret_cast<const void*>(&entry_##name)},
#include "runtime_wrappers/api/driver_calls.def"
#undef DRIVER_CALL
    };
    for (const Row& row : rows)
        if (row.name == name) return row.function;
    return nullptr;
}

}  // namespace cudash::virtual_gpu::runtime
