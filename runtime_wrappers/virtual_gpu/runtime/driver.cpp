// The way from the runtime to the driver API, which the virtual GPU does not have.
#include "runtime_wrappers/virtual_gpu/runtime/bodies.h"

namespace cudash::virtual_gpu::runtime {
namespace {

cudaError_t no_driver(Gpu& gpu, const char* symbol, void** funcPtr, cudaDriverEntryPointQueryResult* driverStatus) {
    if (!symbol || !funcPtr) return cudaErrorInvalidValue;
    *funcPtr = nullptr;
    if (driverStatus) *driverStatus = cudaDriverEntryPointSymbolNotFound;
    return gpu.refuse(cudaErrorNotSupported, "the virtual GPU has no driver API, and so no {}", symbol);
}

}  // namespace

cudaError_t cudaGetDriverEntryPoint(Gpu& gpu, const char* symbol, void** funcPtr, unsigned long long,
                                    cudaDriverEntryPointQueryResult* driverStatus) {
    return no_driver(gpu, symbol, funcPtr, driverStatus);
}

cudaError_t cudaGetDriverEntryPointByVersion(Gpu& gpu, const char* symbol, void** funcPtr, unsigned, unsigned long long,
                                             cudaDriverEntryPointQueryResult* driverStatus) {
    return no_driver(gpu, symbol, funcPtr, driverStatus);
}

}  // namespace cudash::virtual_gpu::runtime
