// cudaMemset and its 2D, 3D and asynchronous forms.
#include "runtime_wrappers/virtual_gpu/runtime/bodies.h"
#include "runtime_wrappers/virtual_gpu/runtime/transfer.h"

namespace cudash::virtual_gpu::runtime {
namespace {

cudaError_t fill_on(Gpu& gpu, const Rows& rows, int value, const Box& box, cudaStream_t stream, Wait wait) {
    if (box.empty()) return cudaSuccess;
    Stream* on = gpu.stream(stream);
    if (!on) return cudaErrorInvalidResourceHandle;
    if (box.width > rows.pitch && (box.height > 1 || box.depth > 1))
        return refuse(cudaErrorInvalidValue, "rows of {} bytes do not fit a pitch of {}", box.width, rows.pitch);
    return fill(gpu, rows, value, box, *on, wait);
}

cudaError_t fill_3d(Gpu& gpu, const cudaPitchedPtr& memory, int value, const cudaExtent& extent, cudaStream_t stream,
                    Wait wait) {
    if (extent.height > memory.ysize && !Box{extent.width, extent.height, extent.depth}.empty())
        return refuse(cudaErrorInvalidValue, "slices of {} rows do not fit ysize = {}", extent.height, memory.ysize);
    return fill_on(gpu, {.pointer = memory.ptr, .pitch = memory.pitch, .slice = memory.pitch * memory.ysize}, value,
                   {extent.width, extent.height, extent.depth}, stream, wait);
}

}  // namespace

cudaError_t cudaMemset(Gpu& gpu, void* devPtr, int value, std::size_t count) {
    return fill_on(gpu, {.pointer = devPtr}, value, {.width = count}, nullptr, Wait::host);
}

cudaError_t cudaMemsetAsync(Gpu& gpu, void* devPtr, int value, std::size_t count, cudaStream_t stream) {
    return fill_on(gpu, {.pointer = devPtr}, value, {.width = count}, stream, Wait::none);
}

cudaError_t cudaMemset2D(Gpu& gpu, void* devPtr, std::size_t pitch, int value, std::size_t width, std::size_t height) {
    return fill_on(gpu, {.pointer = devPtr, .pitch = pitch}, value, {.width = width, .height = height}, nullptr,
                   Wait::host);
}

cudaError_t cudaMemset2DAsync(Gpu& gpu, void* devPtr, std::size_t pitch, int value, std::size_t width,
                              std::size_t height, cudaStream_t stream) {
    return fill_on(gpu, {.pointer = devPtr, .pitch = pitch}, value, {.width = width, .height = height}, stream,
                   Wait::none);
}

cudaError_t cudaMemset3D(Gpu& gpu, cudaPitchedPtr pitchedDevPtr, int value, cudaExtent extent) {
    return fill_3d(gpu, pitchedDevPtr, value, extent, nullptr, Wait::host);
}

cudaError_t cudaMemset3DAsync(Gpu& gpu, cudaPitchedPtr pitchedDevPtr, int value, cudaExtent extent,
                              cudaStream_t stream) {
    return fill_3d(gpu, pitchedDevPtr, value, extent, stream, Wait::none);
}

}  // namespace cudash::virtual_gpu::runtime
