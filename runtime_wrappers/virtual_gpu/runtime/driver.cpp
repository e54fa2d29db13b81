// The way from the runtime to the driver API. Programs that nvcc built have a libcuda of ours beside them; for others
// there are the functions that the virtual GPU has of its own.
#include <dlfcn.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "runtime_wrappers/virtual_gpu/runtime/bodies.h"
#include "runtime_wrappers/virtual_gpu/runtime/driver_entry.h"

namespace cudash::virtual_gpu::runtime {
namespace {

/// What the names of the driver's functions begin with: others no driver has.
constexpr std::string_view driver_prefixes[] = {
    "cuArray",     "cuCheckpoint", "cuCoredump",  "cuCtx",        "cuDestroyExternal",
    "cuDev",       "cuDriver",     "cuEGL",       "cuEvent",      "cuExternal",
    "cuFlush",     "cuFunc",       "cuGL",        "cuGet",        "cuGraph",
    "cuGreenCtx",  "cuImport",     "cuInit",      "cuIpc",        "cuKernel",
    "cuLaunch",    "cuLibrary",    "cuLink",      "cuLog",        "cuMem",
    "cuMipmapped", "cuModule",     "cuMulticast", "cuOccupancy",  "cuParam",
    "cuPointer",   "cuProf",       "cuSignal",    "cuStream",     "cuSurf",
    "cuTensorMap", "cuTex",        "cuThread",    "cuUserObject", "cuVDPAU",
    "cuWait"};

bool may_be_of_driver(std::string_view symbol) {
    return std::any_of(std::begin(driver_prefixes), std::end(driver_prefixes),
                       [&](std::string_view prefix) { return symbol.starts_with(prefix); });
}

void* function_of_driver(const char* symbol) {
    // The second version of a function is the one that cuda.h calls by its plain name.
    for (const std::string& name : {std::string(symbol) + "_v2", std::string(symbol)})
        if (void* loaded = dlsym(RTLD_DEFAULT, name.c_str())) return loaded;
    return const_cast<void*>(driver_function(symbol));
}

/// As a driver answers for a name that it does not have, or not in so early a version: the query itself succeeds
/// (recorded on an H200). For a name that it has, the virtual GPU says that it cannot give it.
cudaError_t entry_point(const char* symbol, void** funcPtr, unsigned version,
                        cudaDriverEntryPointQueryResult* driverStatus) {
    if (!symbol || !funcPtr) return cudaErrorInvalidValue;
    constexpr unsigned first_version = 2000;
    *funcPtr = nullptr;
    const bool known = may_be_of_driver(symbol), too_early = version < first_version;
    if (driverStatus)
        *driverStatus =
            known && too_early ? cudaDriverEntryPointVersionNotSufficent : cudaDriverEntryPointSymbolNotFound;
    if (!known || too_early) return cudaSuccess;
    if (void* const function = function_of_driver(symbol)) {
        *funcPtr = function;
        if (driverStatus) *driverStatus = cudaDriverEntryPointSuccess;
        return cudaSuccess;
    }
    return refuse(cudaErrorNotSupported, "the virtual GPU has no {} of the driver API for interpreted code", symbol);
}

}  // namespace

// A launch stub serves as its kernel's handle.
cudaError_t cudaGetKernel(Gpu& gpu, cudaKernel_t* kernelPtr, const void* entryFuncAddr) {
    if (!kernelPtr) return cudaErrorInvalidValue;
    cudaError_t status = cudaSuccess;
    if (!gpu.modules().kernel(entryFuncAddr, status))
        return status == cudaErrorInvalidResourceHandle ? cudaErrorInvalidDeviceFunction : status;
    *kernelPtr = static_cast<cudaKernel_t>(const_cast<void*>(entryFuncAddr));
    return cudaSuccess;
}

// And so as its function: there is no driver API that would take it, but a program that only asks goes on.
cudaError_t cudaGetFuncBySymbol(Gpu& gpu, cudaFunction_t* functionPtr, const void* symbolPtr) {
    cudaKernel_t kernel = nullptr;
    if (const cudaError_t bad = cudaGetKernel(gpu, &kernel, symbolPtr); bad != cudaSuccess) return bad;
    // Nowhere to put it is not an error (recorded on an H200).
    if (functionPtr) *functionPtr = reinterpret_cast<cudaFunction_t>(kernel);
    return cudaSuccess;
}

cudaError_t cudaGetDriverEntryPoint(Gpu&, const char* symbol, void** funcPtr, unsigned long long,
                                    cudaDriverEntryPointQueryResult* driverStatus) {
    return entry_point(symbol, funcPtr, CUDART_VERSION, driverStatus);
}

cudaError_t cudaGetDriverEntryPointByVersion(Gpu&, const char* symbol, void** funcPtr, unsigned cudaVersion,
                                             unsigned long long, cudaDriverEntryPointQueryResult* driverStatus) {
    return entry_point(symbol, funcPtr, cudaVersion, driverStatus);
}

}  // namespace cudash::virtual_gpu::runtime
