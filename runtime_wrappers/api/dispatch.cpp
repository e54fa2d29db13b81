#include "runtime_wrappers/api/dispatch.h"

#include <dlfcn.h>

#include "runtime_wrappers/api/error_names.h"
#include "runtime_wrappers/api/report.h"

namespace cudash::api {

cudaError_t conclude(const Active& runtime, Function function, cudaError_t status,
                     std::span<const std::string> values) {
    const FunctionInfo& row = info(function);
    if (runtime.trace_calls && runtime.events.trace)
        runtime.events.trace(describe_call(row.name, row.arguments, values), error_name(status));
    if (asks_for_error(function)) runtime.failed_calls.looked_at(thread_state().number, runtime.place().where);
    if (status == cudaSuccess || is_answer(function, status)) {
        // No last error, but who doesn't look at the result takes what was stored for a time.
        if (status == cudaErrorNotReady && function == Function::cudaEventElapsedTime &&
            (runtime.keep_failed_calls || runtime.place().discarded))
            report_failure(runtime, function, status, values, std::exchange(thread_state().explanation, {}));
        return status;
    }
    ThreadState& thread = thread_state();
    thread.last_error = status;
    const Explanation explanation = std::exchange(thread.explanation, {});
    runtime.backend->note_failure(status);
    report_failure(runtime, function, status, values, explanation);
    return status;
}

cudaError_t without_runtime() {
    // A second version of libcudart in one process has no device: the first one, whose function is found here, says so.
    using Tell = void (*)(const char*);
    Dl_info own{};
    const auto tell = reinterpret_cast<Tell>(dlsym(RTLD_DEFAULT, "__cudaCudashTellOwnRuntime"));
    if (tell && dladdr(reinterpret_cast<const void*>(&without_runtime), &own) != 0) tell(own.dli_fname);
    return cudaErrorInitializationError;
}

}  // namespace cudash::api
