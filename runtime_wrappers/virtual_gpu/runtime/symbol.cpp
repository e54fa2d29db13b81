// __device__, __constant__ and __managed__ variables by name.
#include "runtime_wrappers/virtual_gpu/runtime/bodies.h"
#include "runtime_wrappers/virtual_gpu/runtime/transfer.h"

namespace cudash::virtual_gpu::runtime {

// The order of the checks is as recorded on an H200.
cudaError_t part_of_symbol(Gpu& gpu, const void* symbol, std::size_t count, std::size_t offset, cudaMemcpyKind kind,
                           cudaMemcpyKind natural, const void*& address) {
    cudaError_t status = cudaSuccess;
    const VariableInfo* variable = gpu.modules().variable(symbol, status);
    if (!variable) return status;
    gpu.device().flags |= cudaDeviceMapHost;  // after a reset the context begins here
    if (kind != natural && kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)
        return refuse(cudaErrorInvalidMemcpyDirection, "a variable's memory is on the device: the kind does not fit");
    if (offset > variable->size || count > variable->size - offset)
        return refuse_with_hint(
            cudaErrorInvalidValue,
            fmt::format("{} bytes at offset {} do not fit the variable's {} bytes", count, offset, variable->size),
            "count and offset are in bytes");
    address = reinterpret_cast<const void*>(variable->address + offset);
    return cudaSuccess;
}

namespace {

cudaError_t to_symbol(Gpu& gpu, const void* symbol, const void* src, std::size_t count, std::size_t offset,
                      cudaMemcpyKind kind, cudaStream_t stream, Wait wait) {
    if (count == 0) return cudaSuccess;
    Stream* on = gpu.stream(stream);
    if (!on) return cudaErrorInvalidResourceHandle;
    const void* dst = nullptr;
    const cudaError_t status = part_of_symbol(gpu, symbol, count, offset, kind, cudaMemcpyHostToDevice, dst);
    if (status != cudaSuccess) return status;
    return copy(gpu, {.pointer = dst}, {.pointer = src}, {.width = count}, kind, *on, wait);
}

cudaError_t from_symbol(Gpu& gpu, void* dst, const void* symbol, std::size_t count, std::size_t offset,
                        cudaMemcpyKind kind, cudaStream_t stream, Wait wait) {
    if (count == 0) return cudaSuccess;
    Stream* on = gpu.stream(stream);
    if (!on) return cudaErrorInvalidResourceHandle;
    const void* src = nullptr;
    const cudaError_t status = part_of_symbol(gpu, symbol, count, offset, kind, cudaMemcpyDeviceToHost, src);
    if (status != cudaSuccess) return status;
    return copy(gpu, {.pointer = dst}, {.pointer = src}, {.width = count}, kind, *on, wait);
}

}  // namespace

cudaError_t cudaMemcpyToSymbol(Gpu& gpu, const void* symbol, const void* src, std::size_t count, std::size_t offset,
                               cudaMemcpyKind kind) {
    return to_symbol(gpu, symbol, src, count, offset, kind, nullptr, Wait::host);
}

cudaError_t cudaMemcpyToSymbolAsync(Gpu& gpu, const void* symbol, const void* src, std::size_t count,
                                    std::size_t offset, cudaMemcpyKind kind, cudaStream_t stream) {
    return to_symbol(gpu, symbol, src, count, offset, kind, stream, Wait::none);
}

cudaError_t cudaMemcpyFromSymbol(Gpu& gpu, void* dst, const void* symbol, std::size_t count, std::size_t offset,
                                 cudaMemcpyKind kind) {
    return from_symbol(gpu, dst, symbol, count, offset, kind, nullptr, Wait::host);
}

cudaError_t cudaMemcpyFromSymbolAsync(Gpu& gpu, void* dst, const void* symbol, std::size_t count, std::size_t offset,
                                      cudaMemcpyKind kind, cudaStream_t stream) {
    return from_symbol(gpu, dst, symbol, count, offset, kind, stream, Wait::none);
}

cudaError_t cudaGetSymbolAddress(Gpu& gpu, void** devPtr, const void* symbol) {
    if (!devPtr) return cudaErrorInvalidValue;
    cudaError_t status = cudaSuccess;
    const VariableInfo* variable = gpu.modules().variable(symbol, status);
    if (!variable) return status;
    if (const cudaError_t lost = gpu.context.status(); lost != cudaSuccess) return lost;
    *devPtr = reinterpret_cast<void*>(variable->address);
    return cudaSuccess;
}

cudaError_t cudaGetSymbolSize(Gpu& gpu, std::size_t* size, const void* symbol) {
    if (!size) return cudaErrorInvalidValue;
    cudaError_t status = cudaSuccess;
    const VariableInfo* variable = gpu.modules().variable(symbol, status);
    if (!variable) return status;
    if (const cudaError_t lost = gpu.context.status(); lost != cudaSuccess) return lost;
    *size = variable->size;
    return cudaSuccess;
}

}  // namespace cudash::virtual_gpu::runtime
