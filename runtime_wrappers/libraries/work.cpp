#include "runtime_wrappers/libraries/work.h"

namespace cudash::libraries {

Asked Work::ask_stream() {
    virtual_gpu::runtime::Gpu& gpu = served_.gpu;
    if (gpu.context.status() != cudaSuccess) return Asked::failed;
    if (!has_operands()) return Asked::no_memory;
    virtual_gpu::Stream* const stream = gpu.stream(stream_);
    if (!stream) return Asked::failed;
    virtual_gpu::OperationPtr issued;
    if (gpu.submit(*stream, std::move(task_), &issued) != cudaSuccess) return Asked::failed;
    if (waits_ && issued && gpu.scheduler.wait_for({issued}) != cudaSuccess) return Asked::failed;
    return Asked::done;
}

}  // namespace cudash::libraries
