// What libcuda hands on to the virtual GPU: the rows of driver_calls.def, under names of our own.
#include <array>
#include <atomic>
#include <utility>

#include "runtime_wrappers/api/active.h"
#include "runtime_wrappers/api/argument.h"
#include "runtime_wrappers/api/error_names.h"
#include "runtime_wrappers/virtual_gpu/runtime/gpu.h"

namespace {

using cudash::virtual_gpu::runtime::Gpu;
namespace api = cudash::api;

void conclude(const api::Active& runtime, std::string_view name, std::string_view arguments, cudaError_t status,
              std::span<const std::string> values) {
    const std::string call = api::describe_call(name, arguments, values);
    if (runtime.trace_calls && runtime.events.trace) runtime.events.trace(call, api::error_name(status));
    const api::Explanation explanation = std::exchange(api::thread_state().explanation, {});
    if (status == cudaSuccess || explanation.told || explanation.cause.empty() || !runtime.events.diagnostic) return;
    // A program may ask for what it expects to be refused; a hint is there for what no program means to do.
    if (!runtime.report_errors && explanation.hint.empty()) return;
    cudash::Diagnostic found = cudash::error(api::diagnostic_code(status),
                                             fmt::format("{} failed with {} ({}): {}", call, api::error_name(status),
                                                         static_cast<int>(status), explanation.cause),
                                             explanation.hint);
    if (runtime.events.place) found.where = runtime.events.place().where;
    runtime.events.diagnostic(found);
}

template <class Body, class... Arguments>
CUresult serve(std::string_view name, std::string_view names, const void* frame, Body body, Arguments... arguments) {
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
    conclude(*runtime, name, names, static_cast<cudaError_t>(status), values);
    return status;
}

}  // namespace

/// Whether the program has used the runtime: then the driver is initialized, and has the runtime's context.
extern "C" __attribute__((visibility("default"))) bool __cudaCudashHasBegun() {
    const api::Active* const runtime = api::active();
    return runtime && runtime->virtual_gpu && runtime->virtual_gpu->has_begun();
}

/// A library has asked for what only a CUDA runtime asks for: it has one inside.
extern "C" __attribute__((visibility("default"))) void __cudaCudashTellOwnRuntime(const char* file) {
    static std::atomic<bool> told{false};
    const api::Active* const runtime = api::active();
    if (!runtime || !runtime->events.diagnostic || told.exchange(true)) return;
    cudash::Diagnostic found = cudash::error(
        "static-cudart", fmt::format("{} is or has a second CUDA runtime, whose calls fail here", file),
        "build all parts of the program with one toolkit, and with nvcc -cudart shared what dlopen() opens");
    if (runtime->events.place) found.where = runtime->events.place().where;
    runtime->events.diagnostic(found);
}

#define CUDASH_ARGUMENTS(...) __VA_ARGS__
#define DRIVER_CALL(when, name, parameters, arguments)                                                         \
    extern "C" __attribute__((visibility("default"))) CUresult __cudaCudash_##name parameters {                \
        return serve(#name, #arguments, __builtin_frame_address(0), cudash::virtual_gpu::runtime::name##_body, \
                     CUDASH_ARGUMENTS arguments);                                                              \
    }
#include "runtime_wrappers/api/driver_calls.def"
