// What libcuda hands on to the virtual GPU: the rows of driver_calls.def, under names of our own.
#include <atomic>

#include "runtime_wrappers/virtual_gpu/runtime/driver_entry.h"

namespace api = cudash::api;

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

#define DRIVER_CALL(when, name, parameters, arguments)                                                        \
    extern "C" __attribute__((visibility("default"))) CUresult __cudaCudash_##name parameters {               \
        return cudash::virtual_gpu::runtime::serve_driver_call(#name, #arguments, __builtin_frame_address(0), \
                                                               cudash::virtual_gpu::runtime::name##_body,     \
                                                               CUDASH_ARGUMENTS arguments);                   \
    }
#include "runtime_wrappers/api/driver_calls.def"
