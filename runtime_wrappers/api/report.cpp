#include "runtime_wrappers/api/report.h"

#include <array>
#include <filesystem>
#include <mutex>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "runtime_wrappers/api/argument.h"
#include "runtime_wrappers/api/error_names.h"
#include "runtime_wrappers/api/support.h"

namespace cudash::api {
namespace {

/// What an error usually means, where the code that refused the call said nothing closer. The first row that matches
/// the error and the function's topic (empty: any) is taken.
struct UsualCause {
    cudaError_t error;
    std::string_view topic;
    std::string_view cause;
    std::string_view hint;
};
constexpr std::array usual_causes = {
    UsualCause{cudaErrorInvalidValue, "launch", "the launch configuration exceeds a limit of the device",
               "compare gridDim, blockDim and the dynamic shared memory with cudaGetDeviceProperties"},
    UsualCause{cudaErrorInvalidValue, "copy",
               "a pointer, a size or the cudaMemcpyKind does not fit the memory involved",
               "check that count is in bytes and that dst and src are where the kind says"},
    UsualCause{cudaErrorInvalidValue, "fill", "the range is not device-accessible memory of that size",
               "count is in bytes; the pointer must come from cudaMalloc or the like"},
    UsualCause{cudaErrorInvalidValue, "memory", "the pointer or the size is not valid for this call",
               "free each pointer once, exactly as cudaMalloc gave it"},
    UsualCause{cudaErrorInvalidValue, "host_memory", "the pointer is not page-locked memory, or a flag is unknown",
               "use the pointer that cudaMallocHost, cudaHostAlloc or cudaHostRegister was given"},
    UsualCause{cudaErrorInvalidValue, "managed", "the range is not inside one managed allocation",
               "use memory from cudaMallocManaged"},
    UsualCause{cudaErrorInvalidValue, "", "an argument is outside what the call accepts", ""},
    UsualCause{cudaErrorMemoryAllocation, "", "the device has not enough free memory",
               "cudaMemGetInfo tells what is free; sizes are in bytes"},
    UsualCause{cudaErrorInvalidPitchValue, "", "a row is wider than its pitch",
               "pass the pitch that cudaMallocPitch returned; width and pitch are both in bytes"},
    UsualCause{cudaErrorInvalidSymbol, "", "the argument is not a __device__ or __constant__ variable",
               "pass the variable itself, not its address and not its name as a string"},
    UsualCause{cudaErrorInvalidMemcpyDirection, "", "the cudaMemcpyKind does not exist or does not fit this call", ""},
    UsualCause{cudaErrorInvalidDevice, "", "there is no device of that number", "cudaGetDeviceCount tells how many"},
    UsualCause{cudaErrorInvalidDeviceFunction, "", "the pointer is not a __global__ function", ""},
    UsualCause{cudaErrorInvalidResourceHandle, "launch", "there is no such stream, or no longer",
               "create it with cudaStreamCreate, and launch before cudaStreamDestroy"},
    UsualCause{cudaErrorInvalidResourceHandle, "", "the handle is not, or no longer, one of a live object",
               "create it first, and do not use it after destroying it"},
    UsualCause{cudaErrorLaunchOutOfResources, "", "the block needs more registers than a multiprocessor has",
               "use fewer threads per block, or limit registers with __launch_bounds__"},
    UsualCause{cudaErrorCooperativeLaunchTooLarge, "", "not all blocks of the grid can be resident at once",
               "cudaOccupancyMaxActiveBlocksPerMultiprocessor times the number of multiprocessors is the most"},
    UsualCause{cudaErrorHostMemoryAlreadyRegistered, "", "part of the range is page-locked already", ""},
    UsualCause{cudaErrorHostMemoryNotRegistered, "", "the pointer was not given to cudaHostRegister", ""},
    UsualCause{cudaErrorNotReady, "", "the device has not come to one of the events yet, so there is no time",
               "wait for the second event before: cudaEventSynchronize(stop)"},
    UsualCause{cudaErrorUnsupportedLimit, "", "this device has no such limit", ""},
    UsualCause{cudaErrorDevicesUnavailable, "",
               "the device's context was lost and reset; this process cannot use it again", "start the session again"},
    UsualCause{cudaErrorNotPermitted, "", "a host function that a stream runs must not call the CUDA runtime", ""},
    UsualCause{cudaErrorNotSupported, "", "this device does not support the operation", ""},
    UsualCause{cudaErrorInitializationError, "", "no device is open", ""},
    UsualCause{cudaErrorInsufficientDriver, "", "the driver is older than the CUDA runtime", "update the driver"},
    UsualCause{cudaErrorNoDevice, "", "no CUDA device was found", "use --device virtual"},
    UsualCause{cudaErrorIllegalAddress, "", "a kernel accessed memory that is not allocated",
               "run it on the virtual GPU to see the thread, the line and the nearest allocation"},
    UsualCause{cudaErrorMisalignedAddress, "", "a kernel accessed an address that is not a multiple of the access size",
               ""},
    UsualCause{cudaErrorLaunchFailure, "", "a kernel trapped, or failed in a way the device cannot name", ""},
    UsualCause{cudaErrorAssert, "", "an assert in device code failed", ""},
    UsualCause{cudaErrorLaunchTimeout, "", "a kernel ran longer than allowed", ""},
};

const UsualCause* usual_cause(cudaError_t error, std::string_view topic) {
    for (const UsualCause& row : usual_causes)
        if (row.error == error && (row.topic.empty() || row.topic == topic)) return &row;
    return nullptr;
}

/// "add<<<1, (16,16)>>>" of the arguments of a launch, as text: kernel, grid, block, args, shared memory, stream.
std::string as_launched(std::span<const std::string> values) {
    const auto size = [](std::string text) {
        while (text.ends_with(", 1)")) text.replace(text.size() - 4, 4, ")");
        std::erase(text, ' ');
        return text.find(',') == std::string::npos ? text.substr(1, text.size() - 2) : text;
    };
    std::string text = fmt::format("{}<<<{}, {}", values[0], size(values[1]), size(values[2]));
    const bool in_stream = values[5] != "0";
    if (in_stream || values[4] != "0") text += ", " + values[4];
    if (in_stream) text += ", stream";
    return text + ">>>";
}

/// "devPtr", where a call was given a null pointer first: nearly always that for its result, and then what it refuses.
std::string_view null_result(std::string_view call) {
    const auto begin = call.find('(') + 1, end = call.find("=nullptr");
    if (end == std::string_view::npos || call.find_first_of("=,") != end) return {};
    return call.substr(begin, end - begin);
}

}  // namespace

bool asks_for_error(Function function) {
    return function == Function::cudaGetLastError || function == Function::cudaPeekAtLastError;
}

bool is_answer(Function function, cudaError_t status) {
    return status == cudaErrorNotReady || asks_for_error(function);
}

Explanation lacking(std::string_view function) {
    static std::mutex mutex;
    static std::set<std::string, std::less<>> told;
    const std::lock_guard lock(mutex);
    Explanation explanation;
    const std::string_view why = why_lacking(function);
    explanation.cause = fmt::format("{} is not implemented on the virtual GPU; it works with a real one{}{}", function,
                                    why.empty() ? "" : ": ", why);
    explanation.lacking = told.emplace(function).second;
    return explanation;
}

cudaError_t does_not_compile(const Active& runtime, const Diagnostic& failure) {
    Explanation& explanation = thread_state().explanation;
    if (runtime.code->tell(failure)) {
        if (runtime.events.diagnostic) runtime.events.diagnostic(failure);
        explanation.told = true;
    } else {
        explanation.cause = "the device compiler refused this kernel; the error above says why";
        if (!failure.where.file.empty())
            explanation.cause =
                fmt::format("the device compiler refused this kernel ({} line {})",
                            std::filesystem::path(failure.where.file).filename().string(), failure.where.line);
    }
    return cudaErrorInvalidKernelImage;
}

void report_failure(const Active& runtime, Function function, cudaError_t status, std::span<const std::string> values,
                    const Explanation& explanation) {
    const CallPlace place = runtime.place();
    const bool report = runtime.report_errors || explanation.lacking;
    const bool keep = runtime.keep_failed_calls;
    if (!(report || keep) || explanation.told || !runtime.events.diagnostic) return;
    const std::string call = describe_call(info(function).name, info(function).arguments, values);
    const UsualCause* usual = usual_cause(status, info(function).topic);
    const std::string_view null = status == cudaErrorInvalidValue ? null_result(call) : std::string_view();
    const std::string cause(!explanation.cause.empty() ? explanation.cause
                            : !null.empty()            ? fmt::format("{} is a null pointer", null)
                            : usual                    ? std::string(usual->cause)
                                                       : error_string(status));
    const bool is_launch = place.launch && function == Function::cudaLaunchKernel;
    Diagnostic diagnostic = error(diagnostic_code(status),
                                  is_launch ? fmt::format("{}: {}", as_launched(values), cause)
                                            : fmt::format("{} failed with {} ({}): {}", call, error_name(status),
                                                          static_cast<int>(status), cause),
                                  !explanation.cause.empty() ? explanation.hint
                                  : !null.empty()            ? std::string()
                                  : usual                    ? std::string(usual->hint)
                                                             : std::string());
    diagnostic.where = place.where;
    if (report)
        runtime.events.diagnostic(diagnostic);
    else
        runtime.failed_calls.add(
            {thread_state().number, status, std::move(diagnostic), is_launch || place.discarded, is_launch});
}

}  // namespace cudash::api
