// Memory, streams and events of the driver API.
#include "runtime_wrappers/cudart/driver/driver.h"

#include <cstring>
#include <vector>

using namespace cudash::cudart::driver;

// Memory.

CUDASH_EXPORT CUresult cuMemGetInfo(std::size_t* free, std::size_t* total) {
    return in_context([&] { return cudaMemGetInfo(free, total); });
}
CUDASH_EXPORT CUresult cuMemAlloc(CUdeviceptr* address, std::size_t bytes) {
    if (bytes == 0) return CUDA_ERROR_INVALID_VALUE;
    return in_context([&] { return cudaMalloc(reinterpret_cast<void**>(address), bytes); });
}
CUDASH_EXPORT CUresult cuMemAllocPitch(CUdeviceptr* address, std::size_t* pitch, std::size_t width, std::size_t height,
                                       unsigned) {
    return in_context([&] { return cudaMallocPitch(reinterpret_cast<void**>(address), pitch, width, height); });
}
CUDASH_EXPORT CUresult cuMemAllocManaged(CUdeviceptr* address, std::size_t bytes, unsigned flags) {
    return in_context([&] { return cudaMallocManaged(reinterpret_cast<void**>(address), bytes, flags); });
}
CUDASH_EXPORT CUresult cuMemAllocAsync(CUdeviceptr* address, std::size_t bytes, CUstream stream) {
    return in_context([&] { return cudaMallocAsync(reinterpret_cast<void**>(address), bytes, stream); });
}
CUDASH_EXPORT CUresult cuMemFreeAsync(CUdeviceptr address, CUstream stream) {
    return in_context([&] { return cudaFreeAsync(pointer<void>(address), stream); });
}
CUDASH_EXPORT CUresult cuMemFree(CUdeviceptr address) {
    return in_context([&] { return cudaFree(pointer<void>(address)); });
}
CUDASH_EXPORT CUresult cuMemAllocHost(void** memory, std::size_t bytes) {
    return in_context([&] { return cudaMallocHost(memory, bytes); });
}
CUDASH_EXPORT CUresult cuMemHostAlloc(void** memory, std::size_t bytes, unsigned flags) {
    return in_context([&] { return cudaHostAlloc(memory, bytes, flags); });
}
CUDASH_EXPORT CUresult cuMemFreeHost(void* memory) {
    return in_context([&] { return cudaFreeHost(memory); });
}
CUDASH_EXPORT CUresult cuMemHostRegister(void* memory, std::size_t bytes, unsigned flags) {
    return in_context([&] { return cudaHostRegister(memory, bytes, flags); });
}
CUDASH_EXPORT CUresult cuMemHostUnregister(void* memory) {
    return in_context([&] { return cudaHostUnregister(memory); });
}
CUDASH_EXPORT CUresult cuMemHostGetDevicePointer(CUdeviceptr* address, void* memory, unsigned flags) {
    return in_context([&] { return cudaHostGetDevicePointer(reinterpret_cast<void**>(address), memory, flags); });
}
CUDASH_EXPORT CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, std::size_t bytes) {
    return in_context([&] { return cudaMemcpy(pointer<void>(to), pointer<void>(from), bytes, cudaMemcpyDefault); });
}
CUDASH_EXPORT CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, std::size_t bytes, CUstream stream) {
    return in_context(
        [&] { return cudaMemcpyAsync(pointer<void>(to), pointer<void>(from), bytes, cudaMemcpyDefault, stream); });
}
CUDASH_EXPORT CUresult cuMemcpyHtoD(CUdeviceptr to, const void* from, std::size_t bytes) {
    return in_context([&] { return cudaMemcpy(pointer<void>(to), from, bytes, cudaMemcpyHostToDevice); });
}
CUDASH_EXPORT CUresult cuMemcpyDtoH(void* to, CUdeviceptr from, std::size_t bytes) {
    return in_context([&] { return cudaMemcpy(to, pointer<void>(from), bytes, cudaMemcpyDeviceToHost); });
}
CUDASH_EXPORT CUresult cuMemcpyDtoD(CUdeviceptr to, CUdeviceptr from, std::size_t bytes) {
    return in_context(
        [&] { return cudaMemcpy(pointer<void>(to), pointer<void>(from), bytes, cudaMemcpyDeviceToDevice); });
}
CUDASH_EXPORT CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void* from, std::size_t bytes, CUstream stream) {
    return in_context([&] { return cudaMemcpyAsync(pointer<void>(to), from, bytes, cudaMemcpyHostToDevice, stream); });
}
CUDASH_EXPORT CUresult cuMemcpyDtoHAsync(void* to, CUdeviceptr from, std::size_t bytes, CUstream stream) {
    return in_context([&] { return cudaMemcpyAsync(to, pointer<void>(from), bytes, cudaMemcpyDeviceToHost, stream); });
}
CUDASH_EXPORT CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, std::size_t bytes, CUstream stream) {
    return in_context([&] {
        return cudaMemcpyAsync(pointer<void>(to), pointer<void>(from), bytes, cudaMemcpyDeviceToDevice, stream);
    });
}
CUDASH_EXPORT CUresult cuMemsetD8(CUdeviceptr address, unsigned char value, std::size_t count) {
    return in_context([&] { return cudaMemset(pointer<void>(address), value, count); });
}
CUDASH_EXPORT CUresult cuMemsetD8Async(CUdeviceptr address, unsigned char value, std::size_t count, CUstream stream) {
    return in_context([&] { return cudaMemsetAsync(pointer<void>(address), value, count, stream); });
}
CUDASH_EXPORT CUresult cuMemsetD32(CUdeviceptr address, unsigned value, std::size_t count) {
    const std::vector<unsigned> values(count, value);
    return in_context([&] {
        return cudaMemcpy(pointer<void>(address), values.data(), count * sizeof value, cudaMemcpyHostToDevice);
    });
}
CUDASH_EXPORT CUresult cuMemPrefetchAsync(CUdeviceptr address, std::size_t count, CUmemLocation location,
                                          unsigned flags, CUstream stream) {
    cudaMemLocation where{};
    where.type = static_cast<cudaMemLocationType>(location.type);
    where.id = location.id;
    return in_context([&] { return cudaMemPrefetchAsync(pointer<void>(address), count, where, flags, stream); });
}

// Streams and events: the same handles.

CUDASH_EXPORT CUresult cuStreamCreate(CUstream* stream, unsigned flags) {
    return in_context([&] { return cudaStreamCreateWithFlags(stream, flags); });
}
CUDASH_EXPORT CUresult cuStreamCreateWithPriority(CUstream* stream, unsigned flags, int priority) {
    return in_context([&] { return cudaStreamCreateWithPriority(stream, flags, priority); });
}
CUDASH_EXPORT CUresult cuStreamDestroy(CUstream stream) {
    return in_context([&] { return cudaStreamDestroy(stream); });
}
CUDASH_EXPORT CUresult cuStreamSynchronize(CUstream stream) {
    return in_context([&] { return cudaStreamSynchronize(stream); });
}
CUDASH_EXPORT CUresult cuStreamQuery(CUstream stream) {
    return in_context([&] { return cudaStreamQuery(stream); });
}
CUDASH_EXPORT CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags) {
    return in_context([&] { return cudaStreamWaitEvent(stream, event, flags); });
}
CUDASH_EXPORT CUresult cuEventCreate(CUevent* event, unsigned flags) {
    return in_context([&] { return cudaEventCreateWithFlags(event, flags); });
}
CUDASH_EXPORT CUresult cuEventDestroy(CUevent event) {
    return in_context([&] { return cudaEventDestroy(event); });
}
CUDASH_EXPORT CUresult cuEventRecord(CUevent event, CUstream stream) {
    return in_context([&] { return cudaEventRecord(event, stream); });
}
CUDASH_EXPORT CUresult cuEventQuery(CUevent event) {
    return in_context([&] { return cudaEventQuery(event); });
}
CUDASH_EXPORT CUresult cuEventSynchronize(CUevent event) {
    return in_context([&] { return cudaEventSynchronize(event); });
}
CUDASH_EXPORT CUresult cuEventElapsedTime(float* milliseconds, CUevent begin, CUevent end) {
    return in_context([&] { return cudaEventElapsedTime(milliseconds, begin, end); });
}
CUDASH_EXPORT CUresult cuProfilerStart() {
    return CUDA_SUCCESS;
}
CUDASH_EXPORT CUresult cuProfilerStop() {
    return CUDA_SUCCESS;
}

// Memory and events of other processes: the same handles, too.

CUDASH_EXPORT CUresult cuIpcGetMemHandle(CUipcMemHandle* handle, CUdeviceptr address) {
    return in_context(
        [&] { return cudaIpcGetMemHandle(reinterpret_cast<cudaIpcMemHandle_t*>(handle), pointer<void>(address)); });
}
CUDASH_EXPORT CUresult cuIpcOpenMemHandle(CUdeviceptr* address, CUipcMemHandle handle, unsigned flags) {
    cudaIpcMemHandle_t same{};
    static_assert(sizeof same == sizeof handle);
    std::memcpy(&same, &handle, sizeof same);
    return in_context([&] { return cudaIpcOpenMemHandle(reinterpret_cast<void**>(address), same, flags); });
}
CUDASH_EXPORT CUresult cuIpcCloseMemHandle(CUdeviceptr address) {
    return in_context([&] { return cudaIpcCloseMemHandle(pointer<void>(address)); });
}
CUDASH_EXPORT CUresult cuIpcGetEventHandle(CUipcEventHandle* handle, CUevent event) {
    return in_context([&] { return cudaIpcGetEventHandle(reinterpret_cast<cudaIpcEventHandle_t*>(handle), event); });
}
CUDASH_EXPORT CUresult cuIpcOpenEventHandle(CUevent* event, CUipcEventHandle handle) {
    cudaIpcEventHandle_t same{};
    static_assert(sizeof same == sizeof handle);
    std::memcpy(&same, &handle, sizeof same);
    return in_context([&] { return cudaIpcOpenEventHandle(event, same); });
}
