#include "runtime_wrappers/virtual_gpu/runtime/driver_entry.h"

#include <span>

#include "runtime_wrappers/api/error_names.h"

namespace cudash::virtual_gpu::runtime {
namespace {

#define DRIVER_CALL(when, name, parameters, arguments)                                       \
    CUresult entry_##name parameters {                                                       \
        return serve_driver_call(#name, #arguments, __builtin_frame_address(0), name##_body, \
                                 CUDASH_ARGUMENTS arguments);                                \
    }
#include "runtime_wrappers/api/driver_calls.def"
#undef DRIVER_CALL

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

void conclude_driver_call(const api::Active& runtime, std::string_view name, std::string_view arguments,
                          CUresult result, const std::string* values, std::size_t count) {
    const auto status = static_cast<cudaError_t>(result);
    const std::string call = api::describe_call(name, arguments, std::span(values, count));
    if (runtime.trace_calls && runtime.events.trace) runtime.events.trace(call, api::error_name(status));
    const api::Explanation explanation = std::exchange(api::thread_state().explanation, {});
    if (status == cudaSuccess || explanation.told || explanation.cause.empty() || !runtime.events.diagnostic) return;
    // A program may ask for what it expects to be refused; a hint is there for what no program means to do.
    if (!runtime.report_errors && explanation.hint.empty()) return;
    Diagnostic found = error(api::diagnostic_code(status),
                             fmt::format("{} failed with {} ({}): {}", call, api::error_name(status),
                                         static_cast<int>(status), explanation.cause),
                             explanation.hint);
    if (runtime.events.place) found.where = runtime.events.place().where;
    runtime.events.diagnostic(found);
}

}  // namespace cudash::virtual_gpu::runtime
