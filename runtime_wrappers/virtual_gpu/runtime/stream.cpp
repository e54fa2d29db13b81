// Streams and what they are asked to do besides copies and kernels.
#include <algorithm>

#include "runtime_wrappers/virtual_gpu/runtime/bodies.h"
#include "runtime_wrappers/virtual_gpu/runtime/capture.h"
#include "runtime_wrappers/virtual_gpu/runtime/device_attributes.h"

namespace cudash::virtual_gpu::runtime {
namespace {

cudaError_t submit_to(Gpu& gpu, cudaStream_t stream, Task task) {
    Stream* on = gpu.stream(stream);
    if (!on) return cudaErrorInvalidResourceHandle;
    return gpu.submit(*on, std::move(task));
}

/// What must be done for the stream to be: for the legacy default stream, that of all blocking streams.
std::vector<OperationPtr> awaited_in(Gpu& gpu, Stream& stream) {
    if (stream.legacy) return gpu.scheduler.timeline.frontier(stream);
    return stream.last ? std::vector{stream.last} : std::vector<OperationPtr>{};
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
        return refuse(cudaErrorInvalidValue, "flags must be cudaStreamDefault or cudaStreamNonBlocking");
    Stream stream;
    stream.id = gpu.scheduler.timeline.next_stream_id();
    stream.device = gpu.current();
    stream.flags = flags;
    stream.priority = std::clamp(priority, greatest_stream_priority, least_stream_priority);
    gpu.scheduler.timeline.count_stream(stream);
    *pStream = gpu.scheduler.timeline.streams.add(stream);
    return cudaSuccess;
}

cudaError_t cudaStreamDestroy(Gpu& gpu, cudaStream_t stream) {
    Stream* on = gpu.scheduler.timeline.streams.find(stream);
    if (!on)
        return refuse(cudaErrorInvalidResourceHandle, "{} is not a stream that was created, or was destroyed already",
                      fmt::ptr(stream));
    // The capture that began in it ends (recorded on an H200).
    if (const auto capture = on->capture; capture && capture->origin == stream) {
        end_capture(gpu, capture, false);
    } else if (capture) {
        capture->left.insert(capture->left.end(), on->capture_frontier.begin(), on->capture_frontier.end());
    }
    // "the function will return immediately and the resources [...] will be released automatically once the device has
    // completed all work".
    gpu.scheduler.timeline.let_go(*on);
    gpu.scheduler.timeline.streams.remove(stream);
    return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(Gpu& gpu, cudaStream_t stream) {
    Stream* on = gpu.stream(stream);
    if (!on) return cudaErrorInvalidResourceHandle;
    if (const cudaError_t bad = refuse_captured(gpu, *on); bad != cudaSuccess) return bad;
    if (const cudaError_t bad = refuse_while_capturing(gpu); bad != cudaSuccess) return bad;
    return gpu.scheduler.wait_for(awaited_in(gpu, *on));
}

cudaError_t cudaStreamQuery(Gpu& gpu, cudaStream_t stream) {
    Stream* on = gpu.stream(stream);
    if (!on) return cudaErrorInvalidResourceHandle;
    if (const cudaError_t bad = refuse_captured(gpu, *on); bad != cudaSuccess) return bad;
    if (const cudaError_t bad = refuse_while_capturing(gpu); bad != cudaSuccess) return bad;
    return gpu.scheduler.query(awaited_in(gpu, *on));
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
    if (!on) return cudaErrorInvalidResourceHandle;
    if (flags & ~static_cast<unsigned>(cudaEventWaitExternal))
        return refuse(cudaErrorInvalidValue, "flags must be cudaEventWaitDefault or cudaEventWaitExternal");
    const Event* awaited = gpu.event(event);
    if (!awaited) return cudaErrorInvalidResourceHandle;
    if (flags & cudaEventWaitExternal) {
        if (!on->capture)
            return refuse(cudaErrorIllegalState, "cudaEventWaitExternal is for streams that are being captured");
        return gpu.submit(*on, WaitTask{event});
    }
    if (on->capture || awaited->capture) return wait_in_capture(*on, *awaited);
    if (on->legacy)
        if (const cudaError_t bad = refuse_implicit_dependency(gpu, on->device); bad != cudaSuccess) return bad;
    if (!awaited->record) return cudaSuccess;
    auto before = gpu.scheduler.timeline.frontier(*on);
    before.push_back(awaited->record);
    gpu.scheduler.timeline.set_last(
        *on, gpu.scheduler.issue_after(on->device, std::make_shared<const Task>(EmptyTask{}), before));
    return cudaSuccess;
}

cudaError_t cudaStreamAddCallback(Gpu& gpu, cudaStream_t stream, cudaStreamCallback_t callback, void* userData,
                                  unsigned flags) {
    if (!callback || flags != 0) return refuse(cudaErrorInvalidValue, "callback must be a function, and flags 0");
    return submit_to(gpu, stream, CallbackTask{callback, stream, userData});
}

cudaError_t cudaLaunchHostFunc(Gpu& gpu, cudaStream_t stream, cudaHostFn_t fn, void* userData) {
    if (!fn) return refuse(cudaErrorInvalidValue, "the host function is null");
    return submit_to(gpu, stream, HostTask{fn, userData});
}

}  // namespace cudash::virtual_gpu::runtime
