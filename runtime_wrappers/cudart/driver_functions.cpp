// What libcuda asks the virtual GPU for, under names of our own.
#include <atomic>

#include "runtime_wrappers/api/active.h"
#include "runtime_wrappers/virtual_gpu/runtime/backend.h"
#include "runtime_wrappers/virtual_gpu/runtime/driver_entry.h"

namespace api = cudash::api;

/// Whether the program has used the runtime: then the driver is initialized, and has the runtime's context.
extern "C" __attribute__((visibility("default"))) bool __cudaCudashHasBegun() {
    const auto* const gpu = cudash::virtual_gpu::runtime::gpu_of(api::active());
    return gpu && gpu->context.has_begun();
}

/// A library has asked for what only a CUDA runtime asks for: it has one inside.
extern "C" __attribute__((visibility("default"))) void __cudaCudashTellOwnRuntime(const char* file) {
    static std::atomic<bool> told{false};
    const api::Active* const runtime = api::active();
    if (!runtime || !runtime->events.diagnostic || told.exchange(true)) return;
    cudash::Diagnostic found = cudash::error(
        "static-cudart", fmt::format("{} is or has a second CUDA runtime, whose calls fail here", file),
        "build all parts of the program with one toolkit, and with nvcc -cudart shared what dlopen() opens");
    found.where = runtime->place().where;
    runtime->events.diagnostic(found);
}

/// Of the driver's functions those that are the virtual GPU's own, by name.
extern "C" __attribute__((visibility("default"))) const void* __cudaCudashDriverFunction(const char* name) {
    return cudash::virtual_gpu::runtime::driver_function(name);
}
