// Events on the modelled clock.
#include "runtime_wrappers/virtual_gpu/profile/profiler.h"
#include "runtime_wrappers/virtual_gpu/runtime/bodies.h"
#include "runtime_wrappers/virtual_gpu/runtime/capture.h"

namespace cudash::virtual_gpu::runtime {
namespace {

// "a resolution of around 0.5 microseconds" (cudaEventElapsedTime).
constexpr double nanoseconds_per_millisecond = 1e6;

/// For calls that ask whether the event has happened.
cudaError_t check_awaited(Gpu& gpu, const Event& event) {
    if (const cudaError_t bad = refuse_ended(event); bad != cudaSuccess) return bad;
    if (event.capture) {
        event.capture->valid = false;
        return refuse(cudaErrorCapturedEvent, "the event was recorded in a captured stream: it happens in a graph");
    }
    return refuse_while_capturing(gpu);
}

std::vector<OperationPtr> awaited_by(const Event& event) {
    return event.record ? std::vector{event.record} : std::vector<OperationPtr>{};
}

}  // namespace

cudaError_t cudaEventCreate(Gpu& gpu, cudaEvent_t* event) {
    return cudaEventCreateWithFlags(gpu, event, cudaEventDefault);
}

cudaError_t cudaEventCreateWithFlags(Gpu& gpu, cudaEvent_t* event, unsigned flags) {
    if (!event) return cudaErrorInvalidValue;
    constexpr unsigned known = cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess;
    if (flags & ~known) return refuse(cudaErrorInvalidValue, "{:#x} is not a valid combination of event flags", flags);
    if ((flags & cudaEventInterprocess) && !(flags & cudaEventDisableTiming))
        return refuse(cudaErrorInvalidValue, "cudaEventInterprocess needs cudaEventDisableTiming");
    *event = gpu.scheduler.timeline.events.add({.flags = flags, .device = gpu.current()});
    if (!(flags & cudaEventDisableTiming)) ++gpu.scheduler.timeline.timed_events;
    return cudaSuccess;
}

cudaError_t cudaEventDestroy(Gpu& gpu, cudaEvent_t event) {
    const Event* ended = gpu.event(event);
    if (!ended) return cudaErrorInvalidResourceHandle;
    if (!(ended->flags & cudaEventDisableTiming)) --gpu.scheduler.timeline.timed_events;
    gpu.scheduler.timeline.events.remove(event);
    return cudaSuccess;
}

cudaError_t cudaEventRecord(Gpu& gpu, cudaEvent_t event, cudaStream_t stream) {
    return cudaEventRecordWithFlags(gpu, event, stream, cudaEventRecordDefault);
}

cudaError_t cudaEventRecordWithFlags(Gpu& gpu, cudaEvent_t event, cudaStream_t stream, unsigned flags) {
    Event* recorded = gpu.event(event);
    Stream* on = recorded ? gpu.stream(stream) : nullptr;
    if (!on) return cudaErrorInvalidResourceHandle;
    // "event and stream must be on the same CUDA context."
    if (recorded->device != on->device)
        return refuse_with_hint(
            cudaErrorInvalidResourceHandle,
            fmt::format("the event is of device {}, and the stream of device {}", recorded->device, on->device),
            "create the event while the stream's device is current");
    if (flags == cudaEventRecordExternal) {
        if (!on->capture)
            return refuse(cudaErrorIllegalState, "cudaEventRecordExternal is for streams that are being captured");
        return gpu.submit(*on, RecordTask{event});
    }
    if (flags != cudaEventRecordDefault) return cudaErrorInvalidValue;
    if (on->capture) {
        if (!on->capture->valid)
            return refuse(cudaErrorStreamCaptureInvalidated, "an error before this one ended the capture");
        recorded->capture = on->capture;
        recorded->capture_frontier = on->capture_frontier;
        return cudaSuccess;
    }
    OperationPtr operation;
    if (const cudaError_t bad = gpu.submit(*on, RecordTask{event}, &operation); bad != cudaSuccess) return bad;
    recorded->record = operation;
    recorded->capture.reset();
    // Another process may wait for it, which does not have this one's work run.
    if ((recorded->flags & cudaEventInterprocess) && operation) gpu.scheduler.run_before_reuse(operation);
    return cudaSuccess;
}

cudaError_t cudaEventQuery(Gpu& gpu, cudaEvent_t event) {
    const Event* awaited = gpu.event(event);
    if (!awaited) return cudaErrorInvalidResourceHandle;
    if (const cudaError_t bad = check_awaited(gpu, *awaited); bad != cudaSuccess) return bad;
    return gpu.scheduler.query(awaited_by(*awaited));
}

cudaError_t cudaEventSynchronize(Gpu& gpu, cudaEvent_t event) {
    const Event* awaited = gpu.event(event);
    if (!awaited) return cudaErrorInvalidResourceHandle;
    if (const cudaError_t bad = check_awaited(gpu, *awaited); bad != cudaSuccess) return bad;
    return gpu.scheduler.wait_for(awaited_by(*awaited));
}

cudaError_t cudaEventElapsedTime(Gpu& gpu, float* ms, cudaEvent_t start, cudaEvent_t end) {
    if (!ms) return cudaErrorInvalidValue;
    const Event* first = gpu.event(start);
    const Event* last = first ? gpu.event(end) : nullptr;
    if (!last) return cudaErrorInvalidResourceHandle;
    if (const cudaError_t lost = gpu.context.status(); lost != cudaSuccess) return lost;
    for (const auto& [event, name] : {std::pair(first, "start"), std::pair(last, "end")}) {
        if (event->flags & cudaEventDisableTiming)
            return refuse(cudaErrorInvalidResourceHandle, "{} was created with cudaEventDisableTiming", name);
        if (const cudaError_t bad = refuse_ended(*event); bad != cudaSuccess) return bad;
        // Other than a wait, the question leaves the capture as it is (recorded on an H200).
        if (event->capture) return refuse(cudaErrorCapturedEvent, "{} was recorded in a captured stream", name);
        if (!event->record)
            return refuse_with_hint(cudaErrorInvalidResourceHandle, fmt::format("{} was never recorded", name),
                                    "call cudaEventRecord for both events, and cudaEventSynchronize for the last");
    }
    if (first->device != last->device)
        return refuse(cudaErrorInvalidResourceHandle, "the events are of two devices: {} and {}", first->device,
                      last->device);
    // Copies: a host function that runs meanwhile may let another thread destroy the events.
    const OperationPtr began = first->record, ended = last->record;
    if (const cudaError_t status = gpu.scheduler.query({began, ended}); status != cudaSuccess) return status;
    *ms = static_cast<float>((ended->end - began->end) / nanoseconds_per_millisecond);
    return cudaSuccess;
}

}  // namespace cudash::virtual_gpu::runtime
