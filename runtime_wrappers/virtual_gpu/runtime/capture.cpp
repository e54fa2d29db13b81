#include "runtime_wrappers/virtual_gpu/runtime/capture.h"

#include <algorithm>

#include "runtime_wrappers/virtual_gpu/runtime/bodies.h"
#include "runtime_wrappers/virtual_gpu/runtime/graph.h"

namespace cudash::virtual_gpu::runtime {
namespace {

cudaError_t invalidate(Capture& capture, cudaError_t error, std::string cause, std::string hint = {}) {
    capture.valid = false;
    return refuse_with_hint(error, std::move(cause), std::move(hint));
}

cudaError_t check_valid(const Capture& capture) {
    if (capture.valid) return cudaSuccess;
    return refuse(cudaErrorStreamCaptureInvalidated, "an error before this one ended the capture");
}

bool legacy_handle(cudaStream_t stream) {
    return stream == nullptr || stream == cudaStreamLegacy;
}

void merge(std::vector<cudaGraphNode_t>& frontier, const std::vector<cudaGraphNode_t>& more) {
    for (const cudaGraphNode_t node : more)
        if (std::find(frontier.begin(), frontier.end(), node) == frontier.end()) frontier.push_back(node);
}

cudaError_t begin(Gpu& gpu, cudaStream_t handle, cudaStreamCaptureMode mode, cudaGraph_t graph,
                  std::vector<cudaGraphNode_t> frontier) {
    Stream* stream = gpu.stream(handle);
    if (!stream) return cudaErrorInvalidResourceHandle;
    if (mode < cudaStreamCaptureModeGlobal || mode > cudaStreamCaptureModeRelaxed)
        return refuse(cudaErrorInvalidValue, "there is no capture mode {}", static_cast<int>(mode));
    if (legacy_handle(handle)) {
        if (const cudaError_t bad = refuse_implicit_dependency(gpu, stream->device); bad != cudaSuccess) return bad;
        return refuse_with_hint(cudaErrorStreamCaptureUnsupported, "the legacy default stream cannot be captured",
                                "create a stream with cudaStreamCreate");
    }
    if (stream->capture) return refuse(cudaErrorIllegalState, "the stream is being captured already");
    auto capture = std::make_shared<Capture>();
    capture->id = ++gpu.graphs->captures_begun;
    capture->mode = mode;
    capture->thread = std::this_thread::get_id();
    capture->origin = handle;
    capture->device = stream->device;
    capture->own_graph = graph == nullptr;
    capture->graph = graph ? graph : make_graph(gpu);
    gpu.captures.push_back(capture);
    stream->capture = std::move(capture);
    stream->capture_frontier = std::move(frontier);
    return cudaSuccess;
}

}  // namespace

cudaError_t record_task(Gpu& gpu, Stream& stream, Task task) {
    Capture& capture = *stream.capture;
    if (const cudaError_t bad = check_valid(capture); bad != cudaSuccess) return bad;
    if (std::holds_alternative<CallbackTask>(task) || std::holds_alternative<PrefetchTask>(task))
        return invalidate(capture, cudaErrorStreamCaptureUnsupported, "a graph cannot hold this operation",
                          std::holds_alternative<CallbackTask>(task) ? "use cudaLaunchHostFunc" : "");
    // Priorities "are copied from stream priority during stream capture" (cudaGraphInstantiateFlagUseNodePriority).
    if (auto* kernel = std::get_if<KernelTask>(&task); kernel && stream.priority != 0) {
        cudaLaunchAttributeValue value{};
        value.priority = stream.priority;
        kernel->attributes.try_emplace(cudaLaunchAttributePriority, value);
    }
    // So is the access-policy window (recorded on an H200).
    if (auto* kernel = std::get_if<KernelTask>(&task); kernel && stream.window.num_bytes > 0) {
        cudaLaunchAttributeValue value{};
        value.accessPolicyWindow = stream.window;
        kernel->attributes.try_emplace(cudaLaunchAttributeAccessPolicyWindow, value);
    }
    const cudaGraphNode_t node = add_node(gpu, capture.graph, stream.capture_frontier, std::move(task));
    stream.capture_frontier = {node};
    return cudaSuccess;
}

cudaError_t wait_in_capture(Stream& stream, const Event& event) {
    if (stream.capture)
        if (const cudaError_t bad = check_valid(*stream.capture); bad != cudaSuccess) return bad;
    if (!event.capture)
        return invalidate(*stream.capture, cudaErrorStreamCaptureIsolation,
                          "the event was not recorded in this capture",
                          "record it in a captured stream, or wait with cudaEventWaitExternal");
    if (const cudaError_t bad = refuse_ended(event); bad != cudaSuccess) return bad;
    if (const cudaError_t bad = check_valid(*event.capture); bad != cudaSuccess) return bad;
    if (stream.capture && stream.capture != event.capture) {
        event.capture->valid = false;
        return invalidate(*stream.capture, cudaErrorStreamCaptureMerge,
                          "the event belongs to another capture, and two captures cannot become one");
    }
    if (stream.legacy)
        return invalidate(*event.capture, cudaErrorStreamCaptureImplicit,
                          "the legacy default stream cannot become part of a capture");
    if (!stream.capture) {
        stream.capture = event.capture;
        stream.capture_frontier.clear();
    }
    merge(stream.capture_frontier, event.capture_frontier);
    return cudaSuccess;
}

cudaError_t refuse_implicit_dependency(Gpu& gpu, int device, bool invalidates) {
    if (gpu.captures.empty()) return cudaSuccess;
    cudaError_t status = cudaSuccess;
    gpu.scheduler.timeline.each_stream([&](Stream& stream) {
        if (!stream.capture || !stream.blocking() || stream.device != device) return;
        if (invalidates) stream.capture->valid = false;
        status = refuse_with_hint(cudaErrorStreamCaptureImplicit,
                                  "the legacy default stream would have to wait for a stream that is being captured",
                                  "use another stream, or create the captured one with cudaStreamNonBlocking");
    });
    return status;
}

cudaError_t refuse_captured_device(Gpu& gpu, int device) {
    cudaError_t status = cudaSuccess;
    for (const auto& capture : gpu.captures)
        if (capture->device == device)
            status = invalidate(*capture, cudaErrorStreamCaptureUnsupported,
                                "a stream of the device is being captured: nothing runs there that could be waited for",
                                "call it before cudaStreamBeginCapture or after cudaStreamEndCapture");
    return status;
}

cudaError_t refuse_ended(const Event& event) {
    if (!event.capture || !event.capture->ended) return cudaSuccess;
    return refuse_with_hint(cudaErrorInvalidValue, "the event was recorded in a capture that has ended",
                            "record it anew; in a graph it orders nodes, and never happens");
}

void end_capture(Gpu& gpu, const std::shared_ptr<Capture>& capture, bool keep_graph) {
    gpu.scheduler.timeline.each_stream([&](Stream& each) {
        if (each.capture != capture) return;
        each.capture.reset();
        each.capture_frontier.clear();
    });
    capture->ended = true;
    std::erase(gpu.captures, capture);
    if (!keep_graph && capture->own_graph) destroy_graph(gpu, capture->graph);
}

cudaError_t refuse_while_capturing(Gpu& gpu) {
    const cudaStreamCaptureMode mode = api::thread_state().capture_mode;
    if (gpu.captures.empty() || mode == cudaStreamCaptureModeRelaxed) return cudaSuccess;
    cudaError_t status = cudaSuccess;
    for (const auto& capture : gpu.captures) {
        const bool local = capture->thread == std::this_thread::get_id();
        const bool prohibits =
            local ? capture->mode != cudaStreamCaptureModeRelaxed
                  : mode == cudaStreamCaptureModeGlobal && capture->mode == cudaStreamCaptureModeGlobal;
        if (prohibits)
            status = invalidate(*capture, cudaErrorStreamCaptureUnsupported,
                                "a call that may synchronize is not permitted while a stream is being captured",
                                "call it before cudaStreamBeginCapture or after cudaStreamEndCapture");
    }
    return status;
}

cudaError_t refuse_captured(Gpu& gpu, Stream& stream) {
    if (stream.capture)
        return invalidate(*stream.capture, cudaErrorStreamCaptureUnsupported,
                          "the stream is being captured: nothing runs that could be waited for");
    if (stream.legacy) return refuse_implicit_dependency(gpu, stream.device);
    return cudaSuccess;
}

cudaError_t cudaStreamBeginCapture(Gpu& gpu, cudaStream_t stream, cudaStreamCaptureMode mode) {
    return begin(gpu, stream, mode, nullptr, {});
}

cudaError_t cudaStreamBeginCaptureToGraph(Gpu& gpu, cudaStream_t stream, cudaGraph_t graph,
                                          const cudaGraphNode_t* dependencies, const cudaGraphEdgeData* dependencyData,
                                          std::size_t numDependencies, cudaStreamCaptureMode mode) {
    if (!find_graph(gpu, graph) || (numDependencies > 0 && !dependencies)) return cudaErrorInvalidValue;
    const std::span before(dependencies, numDependencies);
    if (const cudaError_t bad = check_dependencies(gpu, graph, before); bad != cudaSuccess) return bad;
    if (const cudaError_t bad = check_edge_data(dependencyData, numDependencies); bad != cudaSuccess) return bad;
    return begin(gpu, stream, mode, graph, {before.begin(), before.end()});
}

cudaError_t cudaStreamEndCapture(Gpu& gpu, cudaStream_t handle, cudaGraph_t* pGraph) {
    Stream* stream = gpu.stream(handle);
    if (!stream) return cudaErrorInvalidResourceHandle;
    if (stream->legacy)
        if (const cudaError_t bad = refuse_implicit_dependency(gpu, stream->device); bad != cudaSuccess) return bad;
    if (!stream->capture) return refuse(cudaErrorIllegalState, "the stream is not being captured");
    const std::shared_ptr<Capture> capture = stream->capture;
    // Of a capture into a graph that the program has, it knows the graph (recorded on an H100).
    if (!pGraph && capture->own_graph) return cudaErrorInvalidValue;
    if (pGraph) *pGraph = nullptr;
    if (capture->origin != handle)
        return invalidate(*capture, cudaErrorStreamCaptureUnmatched, "the capture began in another stream");
    if (capture->valid && capture->mode != cudaStreamCaptureModeRelaxed &&
        capture->thread != std::this_thread::get_id()) {
        end_capture(gpu, capture, false);
        return refuse(cudaErrorStreamCaptureWrongThread,
                      "the capture began in another thread, and its mode is not cudaStreamCaptureModeRelaxed");
    }
    cudaError_t status = check_valid(*capture);
    const auto joined = with_ancestors(gpu, stream->capture_frontier);
    gpu.scheduler.timeline.each_stream([&](const Stream& each) {
        if (each.capture == capture) merge(capture->left, each.capture_frontier);
    });
    for (const cudaGraphNode_t node : capture->left)
        if (status == cudaSuccess && !joined.contains(node))
            status = refuse_with_hint(
                cudaErrorStreamCaptureUnjoined, "another stream joined the capture and was not joined back",
                "record an event in it, and let the stream where the capture began wait for that");
    end_capture(gpu, capture, status == cudaSuccess);
    if (status == cudaSuccess && pGraph) *pGraph = capture->graph;
    return status;
}

cudaError_t cudaStreamIsCapturing(Gpu& gpu, cudaStream_t handle, cudaStreamCaptureStatus* pCaptureStatus) {
    if (!pCaptureStatus) return cudaErrorInvalidValue;
    const Stream* stream = gpu.stream(handle);
    if (!stream) return cudaErrorInvalidResourceHandle;
    if (stream->legacy)
        if (const cudaError_t bad = refuse_implicit_dependency(gpu, stream->device, false); bad != cudaSuccess)
            return bad;
    *pCaptureStatus = !stream->capture         ? cudaStreamCaptureStatusNone
                      : stream->capture->valid ? cudaStreamCaptureStatusActive
                                               : cudaStreamCaptureStatusInvalidated;
    return cudaSuccess;
}

cudaError_t cudaStreamGetCaptureInfo(Gpu& gpu, cudaStream_t handle, cudaStreamCaptureStatus* captureStatus_out,
                                     unsigned long long* id_out, cudaGraph_t* graph_out,
                                     const cudaGraphNode_t** dependencies_out, const cudaGraphEdgeData** edgeData_out,
                                     std::size_t* numDependencies_out) {
    const cudaError_t status = cudaStreamIsCapturing(gpu, handle, captureStatus_out);
    if (status != cudaSuccess || *captureStatus_out != cudaStreamCaptureStatusActive) return status;
    const Stream& stream = *gpu.stream(handle);
    if (id_out) *id_out = stream.capture->id;
    if (graph_out) *graph_out = stream.capture->graph;
    if (dependencies_out) *dependencies_out = stream.capture_frontier.data();
    if (edgeData_out) *edgeData_out = nullptr;  // all zero
    if (numDependencies_out) *numDependencies_out = stream.capture_frontier.size();
    return cudaSuccess;
}

cudaError_t cudaStreamUpdateCaptureDependencies(Gpu& gpu, cudaStream_t handle, cudaGraphNode_t* dependencies,
                                                const cudaGraphEdgeData* dependencyData, std::size_t numDependencies,
                                                unsigned flags) {
    Stream* stream = gpu.stream(handle);
    if (!stream) return cudaErrorInvalidResourceHandle;
    if (!stream->capture) return refuse(cudaErrorIllegalState, "the stream is not being captured");
    if (const cudaError_t bad = check_valid(*stream->capture); bad != cudaSuccess) return bad;
    if (flags > cudaStreamSetCaptureDependencies || (numDependencies > 0 && !dependencies))
        return cudaErrorInvalidValue;
    const std::span<const cudaGraphNode_t> given(dependencies, numDependencies);
    if (const cudaError_t bad = check_dependencies(gpu, stream->capture->graph, given); bad != cudaSuccess) return bad;
    if (const cudaError_t bad = check_edge_data(dependencyData, numDependencies); bad != cudaSuccess) return bad;
    if (flags == cudaStreamSetCaptureDependencies) stream->capture_frontier.clear();
    merge(stream->capture_frontier, {given.begin(), given.end()});
    return cudaSuccess;
}

cudaError_t cudaThreadExchangeStreamCaptureMode(Gpu&, cudaStreamCaptureMode* mode) {
    if (!mode) return cudaErrorInvalidValue;
    // An H200 takes any number.
    std::swap(api::thread_state().capture_mode, *mode);
    return cudaSuccess;
}

}  // namespace cudash::virtual_gpu::runtime
