// Streams and what they are asked to do besides copies and kernels.
#include <algorithm>

#include "runtime_wrappers/virtual_gpu/runtime/bodies.h"
#include "runtime_wrappers/virtual_gpu/runtime/device_attributes.h"

namespace cudash::virtual_gpu::runtime {
namespace {

/// Work runs as it is issued, so that a host function's turn has come when it is given.
template <class Function>
cudaError_t run_on(Gpu& gpu, cudaStream_t stream, Function function) {
    Stream* on = gpu.stream(stream);
    if (!on) return cudaErrorInvalidResourceHandle;
    constexpr double host_function_time = 5000;
    gpu.timeline.enqueue(*on, host_function_time);
    gpu.run_callback(function);
    return cudaSuccess;
}

}  // namespace

cudaError_t cudaStreamCreate(Gpu& gpu, cudaStream_t* pStream) {
    return cudaStreamCreateWithPriority(gpu, pStream, cudaStreamDefault, 0);
}

cudaError_t cudaStreamCreateWithFlags(Gpu& gpu, cudaStream_t* pStream, unsigned flags) {
    return cudaStreamCreateWithPriority(gpu, pStream, flags, 0);
}

// "If the specified priority is outside the numerical range returned by cudaDeviceGetStreamPriorityRange, it will
// automatically be clamped."
cudaError_t cudaStreamCreateWithPriority(Gpu& gpu, cudaStream_t* pStream, unsigned flags, int priority) {
    if (!pStream) return cudaErrorInvalidValue;
    if (flags != cudaStreamDefault && flags != cudaStreamNonBlocking)
        return gpu.refuse(cudaErrorInvalidValue, "flags must be cudaStreamDefault or cudaStreamNonBlocking");
    Stream stream;
    stream.id = gpu.timeline.next_stream_id();
    stream.device = gpu.current();
    stream.flags = flags;
    stream.priority = std::clamp(priority, greatest_stream_priority, least_stream_priority);
    *pStream = gpu.timeline.streams.add(stream);
    return cudaSuccess;
}

cudaError_t cudaStreamDestroy(Gpu& gpu, cudaStream_t stream) {
    if (!gpu.timeline.streams.remove(stream))
        return gpu.refuse(cudaErrorInvalidResourceHandle,
                          "{} is not a stream that was created, or was destroyed already", fmt::ptr(stream));
    return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(Gpu& gpu, cudaStream_t stream) {
    const Stream* on = gpu.stream(stream);
    if (!on) return cudaErrorInvalidResourceHandle;
    gpu.timeline.wait(*on);
    return cudaSuccess;
}

cudaError_t cudaStreamQuery(Gpu& gpu, cudaStream_t stream) {
    return gpu.stream(stream) ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

cudaError_t cudaStreamGetPriority(Gpu& gpu, cudaStream_t stream, int* priority) {
    if (!priority) return cudaErrorInvalidValue;
    const Stream* on = gpu.stream(stream);
    if (!on) return cudaErrorInvalidResourceHandle;
    *priority = on->priority;
    return cudaSuccess;
}

cudaError_t cudaStreamGetFlags(Gpu& gpu, cudaStream_t stream, unsigned* flags) {
    if (!flags) return cudaErrorInvalidValue;
    const Stream* on = gpu.stream(stream);
    if (!on) return cudaErrorInvalidResourceHandle;
    *flags = on->flags;
    return cudaSuccess;
}

cudaError_t cudaStreamGetId(Gpu& gpu, cudaStream_t stream, unsigned long long* streamId) {
    if (!streamId) return cudaErrorInvalidValue;
    const Stream* on = gpu.stream(stream);
    if (!on) return cudaErrorInvalidResourceHandle;
    *streamId = on->id;
    return cudaSuccess;
}

cudaError_t cudaStreamGetDevice(Gpu& gpu, cudaStream_t stream, int* device) {
    if (!device) return cudaErrorInvalidValue;
    const Stream* on = gpu.stream(stream);
    if (!on) return cudaErrorInvalidResourceHandle;
    *device = on->device;
    return cudaSuccess;
}

cudaError_t cudaStreamWaitEvent(Gpu& gpu, cudaStream_t stream, cudaEvent_t event, unsigned flags) {
    Stream* on = gpu.stream(stream);
    const Event* awaited = on ? gpu.event(event) : nullptr;
    if (!awaited) return cudaErrorInvalidResourceHandle;
    if (flags & ~static_cast<unsigned>(cudaEventWaitExternal)) return cudaErrorInvalidValue;
    if (awaited->recorded) on->ready = std::max(on->ready, awaited->time);
    return cudaSuccess;
}

cudaError_t cudaStreamAddCallback(Gpu& gpu, cudaStream_t stream, cudaStreamCallback_t callback, void* userData,
                                  unsigned flags) {
    if (!callback || flags != 0) return gpu.refuse(cudaErrorInvalidValue, "callback must be a function, and flags 0");
    return run_on(gpu, stream, [&] { callback(stream, cudaSuccess, userData); });
}

cudaError_t cudaLaunchHostFunc(Gpu& gpu, cudaStream_t stream, cudaHostFn_t fn, void* userData) {
    if (!fn) return gpu.refuse(cudaErrorInvalidValue, "the host function is null");
    return run_on(gpu, stream, [&] { fn(userData); });
}

cudaError_t cudaStreamIsCapturing(Gpu& gpu, cudaStream_t stream, cudaStreamCaptureStatus* pCaptureStatus) {
    if (!pCaptureStatus) return cudaErrorInvalidValue;
    if (!gpu.stream(stream)) return cudaErrorInvalidResourceHandle;
    *pCaptureStatus = cudaStreamCaptureStatusNone;
    return cudaSuccess;
}

}  // namespace cudash::virtual_gpu::runtime
