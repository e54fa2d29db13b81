// Events on the modelled clock.
#include "runtime_wrappers/virtual_gpu/runtime/bodies.h"

namespace cudash::virtual_gpu::runtime {
namespace {

constexpr double record_time = 500;  // nanoseconds
// "a resolution of around 0.5 microseconds" (cudaEventElapsedTime).
constexpr double nanoseconds_per_millisecond = 1e6;

}  // namespace

cudaError_t cudaEventCreate(Gpu& gpu, cudaEvent_t* event) {
    return cudaEventCreateWithFlags(gpu, event, cudaEventDefault);
}

cudaError_t cudaEventCreateWithFlags(Gpu& gpu, cudaEvent_t* event, unsigned flags) {
    if (!event) return cudaErrorInvalidValue;
    constexpr unsigned known = cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess;
    if (flags & ~known) return gpu.refuse(cudaErrorInvalidValue, "{:#x} is no combination of event flags", flags);
    if ((flags & cudaEventInterprocess) && !(flags & cudaEventDisableTiming))
        return gpu.refuse(cudaErrorInvalidValue, "cudaEventInterprocess needs cudaEventDisableTiming");
    *event = gpu.timeline.events.add({.flags = flags, .device = gpu.current()});
    return cudaSuccess;
}

cudaError_t cudaEventDestroy(Gpu& gpu, cudaEvent_t event) {
    if (!gpu.event(event)) return cudaErrorInvalidResourceHandle;
    gpu.timeline.events.remove(event);
    return cudaSuccess;
}

cudaError_t cudaEventRecord(Gpu& gpu, cudaEvent_t event, cudaStream_t stream) {
    return cudaEventRecordWithFlags(gpu, event, stream, cudaEventRecordDefault);
}

cudaError_t cudaEventRecordWithFlags(Gpu& gpu, cudaEvent_t event, cudaStream_t stream, unsigned flags) {
    Event* recorded = gpu.event(event);
    Stream* on = recorded ? gpu.stream(stream) : nullptr;
    if (!on) return cudaErrorInvalidResourceHandle;
    if (flags == cudaEventRecordExternal)
        return gpu.refuse(cudaErrorIllegalState, "cudaEventRecordExternal is for streams that are being captured");
    if (flags != cudaEventRecordDefault) return cudaErrorInvalidValue;
    recorded->time = gpu.timeline.enqueue(*on, record_time);
    recorded->recorded = true;
    return cudaSuccess;
}

cudaError_t cudaEventQuery(Gpu& gpu, cudaEvent_t event) {
    return gpu.event(event) ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

cudaError_t cudaEventSynchronize(Gpu& gpu, cudaEvent_t event) {
    const Event* awaited = gpu.event(event);
    if (!awaited) return cudaErrorInvalidResourceHandle;
    if (awaited->recorded) gpu.timeline.wait_until(awaited->time);
    return cudaSuccess;
}

cudaError_t cudaEventElapsedTime(Gpu& gpu, float* ms, cudaEvent_t start, cudaEvent_t end) {
    if (!ms) return cudaErrorInvalidValue;
    const Event* first = gpu.event(start);
    const Event* last = first ? gpu.event(end) : nullptr;
    if (!last) return cudaErrorInvalidResourceHandle;
    for (const auto& [event, name] : {std::pair(first, "start"), std::pair(last, "end")}) {
        if (event->flags & cudaEventDisableTiming)
            return gpu.refuse(cudaErrorInvalidResourceHandle, "{} was created with cudaEventDisableTiming", name);
        if (!event->recorded)
            return gpu.refuse_with_hint(cudaErrorInvalidResourceHandle, fmt::format("{} was never recorded", name),
                                        "call cudaEventRecord for both events, and cudaEventSynchronize for the last");
    }
    *ms = static_cast<float>((last->time - first->time) / nanoseconds_per_millisecond);
    return cudaSuccess;
}

}  // namespace cudash::virtual_gpu::runtime
