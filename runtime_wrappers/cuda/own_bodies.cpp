#include "runtime_wrappers/cuda/own_bodies.h"

#include "runtime_wrappers/cuda/real_gpu.h"

namespace cudash::cuda {

using api::Function;

cudaError_t cudaDeviceReset(RealGpu& gpu) {
    const cudaError_t status = gpu.function<decltype(&::cudaDeviceReset)>(Function::cudaDeviceReset)();
    if (status == cudaSuccess) gpu.forget_unit();
    return status;
}

cudaError_t cudaStreamBeginCapture(RealGpu& gpu, cudaStream_t stream, cudaStreamCaptureMode mode) {
    const auto begin = gpu.function<decltype(&::cudaStreamBeginCapture)>(Function::cudaStreamBeginCapture);
    const cudaError_t status = begin(stream, mode);
    if (status == cudaSuccess) gpu.capture_began(stream);
    return status;
}

cudaError_t cudaStreamBeginCaptureToGraph(RealGpu& gpu, cudaStream_t stream, cudaGraph_t graph,
                                          const cudaGraphNode_t* dependencies, const cudaGraphEdgeData* dependencyData,
                                          std::size_t numDependencies, cudaStreamCaptureMode mode) {
    const auto begin =
        gpu.function<decltype(&::cudaStreamBeginCaptureToGraph)>(Function::cudaStreamBeginCaptureToGraph);
    if (!begin) return cudaErrorNotSupported;
    const cudaError_t status = begin(stream, graph, dependencies, dependencyData, numDependencies, mode);
    if (status == cudaSuccess) gpu.capture_began(stream);
    return status;
}

cudaError_t cudaStreamDestroy(RealGpu& gpu, cudaStream_t stream) {
    const auto destroy = gpu.function<decltype(&::cudaStreamDestroy)>(Function::cudaStreamDestroy);
    const cudaError_t status = destroy(stream);
    if (status == cudaSuccess) gpu.stream_ended(stream);
    return status;
}

cudaError_t cudaGetSymbolAddress(RealGpu& gpu, void** devPtr, const void* symbol) {
    if (!devPtr) return cudaErrorInvalidValue;
    DeviceVariable variable;
    const cudaError_t status = gpu.variable(symbol, variable);
    if (status == cudaSuccess && gpu.sticky() != cudaSuccess) return static_cast<cudaError_t>(gpu.sticky());
    if (status == cudaSuccess) *devPtr = variable.address;
    return status;
}

cudaError_t cudaGetSymbolSize(RealGpu& gpu, std::size_t* size, const void* symbol) {
    if (!size) return cudaErrorInvalidValue;
    DeviceVariable variable;
    const cudaError_t status = gpu.variable(symbol, variable);
    if (status == cudaSuccess && gpu.sticky() != cudaSuccess) return static_cast<cudaError_t>(gpu.sticky());
    if (status == cudaSuccess) *size = variable.size;
    return status;
}

cudaError_t cudaMemcpyToSymbol(RealGpu& gpu, const void* symbol, const void* src, std::size_t count, std::size_t offset,
                               cudaMemcpyKind kind) {
    if (count == 0) return cudaSuccess;
    std::byte* dst = nullptr;
    const cudaError_t status = gpu.part_of_variable(symbol, count, offset, kind, cudaMemcpyHostToDevice, dst);
    if (status != cudaSuccess) return status;
    return gpu.function<decltype(&::cudaMemcpy)>(Function::cudaMemcpy)(dst, src, count, kind);
}

cudaError_t cudaMemcpyFromSymbol(RealGpu& gpu, void* dst, const void* symbol, std::size_t count, std::size_t offset,
                                 cudaMemcpyKind kind) {
    if (count == 0) return cudaSuccess;
    std::byte* src = nullptr;
    const cudaError_t status = gpu.part_of_variable(symbol, count, offset, kind, cudaMemcpyDeviceToHost, src);
    if (status != cudaSuccess) return status;
    return gpu.function<decltype(&::cudaMemcpy)>(Function::cudaMemcpy)(dst, src, count, kind);
}

cudaError_t cudaMemcpyToSymbolAsync(RealGpu& gpu, const void* symbol, const void* src, std::size_t count,
                                    std::size_t offset, cudaMemcpyKind kind, cudaStream_t stream) {
    if (count == 0) return cudaSuccess;
    std::byte* dst = nullptr;
    const cudaError_t status = gpu.part_of_variable(symbol, count, offset, kind, cudaMemcpyHostToDevice, dst);
    if (status != cudaSuccess) return status;
    return gpu.function<decltype(&::cudaMemcpyAsync)>(Function::cudaMemcpyAsync)(dst, src, count, kind, stream);
}

cudaError_t cudaMemcpyFromSymbolAsync(RealGpu& gpu, void* dst, const void* symbol, std::size_t count,
                                      std::size_t offset, cudaMemcpyKind kind, cudaStream_t stream) {
    if (count == 0) return cudaSuccess;
    std::byte* src = nullptr;
    const cudaError_t status = gpu.part_of_variable(symbol, count, offset, kind, cudaMemcpyDeviceToHost, src);
    if (status != cudaSuccess) return status;
    return gpu.function<decltype(&::cudaMemcpyAsync)>(Function::cudaMemcpyAsync)(dst, src, count, kind, stream);
}

cudaError_t cudaFuncSetAttribute(RealGpu& gpu, const void* func, cudaFuncAttribute attr, int value) {
    cudaError_t status = cudaSuccess;
    const void* kernel = gpu.kernel(func, status);
    if (status != cudaSuccess) return status;
    status = gpu.function<decltype(&::cudaFuncSetAttribute)>(Function::cudaFuncSetAttribute)(kernel, attr, value);
    if (status == cudaSuccess) gpu.remember_attribute(func, attr, value);
    return status;
}

cudaError_t cudaGetKernel(RealGpu& gpu, cudaKernel_t* kernelPtr, const void* entryFuncAddr) {
    if (!kernelPtr) return cudaErrorInvalidValue;
    cudaError_t status = cudaSuccess;
    const void* kernel = gpu.kernel(entryFuncAddr, status);
    if (status == cudaSuccess) *kernelPtr = static_cast<cudaKernel_t>(const_cast<void*>(kernel));
    return status;
}

}  // namespace cudash::cuda
