// Stream capture: what streams are asked for becomes nodes of a graph.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <thread>
#include <vector>

#include "runtime_wrappers/virtual_gpu/runtime/task.h"
#include "runtime_wrappers/virtual_gpu/stream/timeline.h"

namespace cudash::virtual_gpu::runtime {

class Gpu;

/// One capture sequence, from cudaStreamBeginCapture to cudaStreamEndCapture.
struct Capture {
    std::uint64_t id = 0;
    cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
    std::thread::id thread{};
    cudaStream_t origin = nullptr;  ///< as given, default streams by their own handle
    int device = 0;
    cudaGraph_t graph = nullptr;
    bool own_graph = true;  ///< false for cudaStreamBeginCaptureToGraph
    bool valid = true, ended = false;
    std::vector<cudaGraphNode_t> left{};  ///< last nodes of streams that were destroyed meanwhile: must be joined too
};

/// Makes a node of what a capturing stream was asked for.
cudaError_t record_task(Gpu& gpu, Stream& stream, Task task);
/// Lets the stream come after the event; a stream that isn't being captured joins the event's capture.
cudaError_t wait_in_capture(Stream& stream, const Event& event);

/// cudaErrorStreamCaptureImplicit if the legacy default stream would have to wait for a captured stream.
cudaError_t refuse_implicit_dependency(Gpu& gpu, int device, bool invalidates = true);
/// For waits for a whole device, which no mode allows while one of its streams is being captured (recorded on an H200).
cudaError_t refuse_captured_device(Gpu& gpu, int device);
/// cudaErrorInvalidValue for an event that was last recorded in a capture that has ended.
cudaError_t refuse_ended(const Event& event);
/// The streams of the capture go on as others; what was captured goes with it unless the graph is kept.
void end_capture(Gpu& gpu, const std::shared_ptr<Capture>& capture, bool keep_graph);
/// For calls that may synchronise: cudaErrorStreamCaptureUnsupported if the thread's capture mode prohibits them now
/// (cudaThreadExchangeStreamCaptureMode).
cudaError_t refuse_while_capturing(Gpu& gpu);
/// For calls on a stream that is being captured and that no capture can hold.
cudaError_t refuse_captured(Gpu& gpu, Stream& stream);

}  // namespace cudash::virtual_gpu::runtime
