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

// A launch stub serves as its kernel's handle.
cudaError_t cudaGetKernel(Gpu& gpu, cudaKernel_t* kernelPtr, const void* entryFuncAddr) {
    if (!kernelPtr) return cudaErrorInvalidValue;
    cudaError_t status = cudaSuccess;
    if (!gpu.modules->kernel(entryFuncAddr, status))
        return status == cudaErrorInvalidResourceHandle ? cudaErrorInvalidDeviceFunction : status;
    *kernelPtr = static_cast<cudaKernel_t>(const_cast<void*>(entryFuncAddr));
    return cudaSuccess;
}

// And so as its function: there is no driver API that would take it, but a program that only asks goes on.
cudaError_t cudaGetFuncBySymbol(Gpu& gpu, cudaFunction_t* functionPtr, const void* symbolPtr) {
    if (!functionPtr) return gpu.refuse(cudaErrorInvalidValue, "functionPtr is null");
    cudaKernel_t kernel = nullptr;
    if (const cudaError_t bad = cudaGetKernel(gpu, &kernel, symbolPtr); bad != cudaSuccess) return bad;
    *functionPtr = reinterpret_cast<cudaFunction_t>(kernel);
    return cudaSuccess;
}

cudaError_t cudaGetDriverEntryPoint(Gpu& gpu, const char* symbol, void** funcPtr, unsigned long long,
                                    cudaDriverEntryPointQueryResult* driverStatus) {
    return no_driver(gpu, symbol, funcPtr, driverStatus);
}

cudaError_t cudaGetDriverEntryPointByVersion(Gpu& gpu, const char* symbol, void** funcPtr, unsigned, unsigned long long,
                                             cudaDriverEntryPointQueryResult* driverStatus) {
    return no_driver(gpu, symbol, funcPtr, driverStatus);
}

}  // namespace cudash::virtual_gpu::runtime
