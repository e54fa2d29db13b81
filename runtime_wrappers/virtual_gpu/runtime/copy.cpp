// cudaMemcpy and its 2D, 3D, peer and asynchronous forms. A copy of nothing succeeds before anything else is looked at.
#include "runtime_wrappers/virtual_gpu/runtime/array_handle.h"
#include "runtime_wrappers/virtual_gpu/runtime/bodies.h"
#include "runtime_wrappers/virtual_gpu/runtime/transfer.h"

namespace cudash::virtual_gpu::runtime {
namespace {

cudaError_t copy_1d(Gpu& gpu, void* dst, const void* src, std::size_t count, cudaMemcpyKind kind, cudaStream_t stream,
                    Wait wait) {
    if (count == 0) return cudaSuccess;
    Stream* on = gpu.stream(stream);
    if (!on) return cudaErrorInvalidResourceHandle;
    return copy(gpu, {.pointer = dst}, {.pointer = src}, {.width = count}, kind, *on, wait);
}

cudaError_t copy_2d(Gpu& gpu, void* dst, std::size_t dpitch, const void* src, std::size_t spitch, std::size_t width,
                    std::size_t height, cudaMemcpyKind kind, cudaStream_t stream, Wait wait) {
    if (width == 0 || height == 0) return cudaSuccess;
    if (const cudaError_t bad = check_kind(kind); bad != cudaSuccess) return bad;
    for (const auto& [pitch, name] : {std::pair(dpitch, "dpitch"), std::pair(spitch, "spitch")})
        // No pitch does for a single row (recorded on an H200).
        if (width > pitch && (height > 1 || pitch != 0))
            // Recorded on an H200: a single row gets as far as the driver, which refuses it with another code.
            return refuse_with_hint(height > 1 ? cudaErrorInvalidPitchValue : cudaErrorInvalidValue,
                                    fmt::format("rows of {} bytes do not fit {} = {}", width, name, pitch),
                                    "width and both pitches are in bytes; use the pitch that cudaMallocPitch returned");
    Stream* on = gpu.stream(stream);
    if (!on) return cudaErrorInvalidResourceHandle;
    return copy(gpu, {.pointer = dst, .pitch = dpitch}, {.pointer = src, .pitch = spitch},
                {.width = width, .height = height}, kind, *on, wait);
}

/// "If a CUDA array is participating in the copy, the extent is defined in terms of that array's elements."
cudaError_t use_bytes(const Array* src, const Array* dst, Box& box) {
    if (!src && !dst) return cudaSuccess;
    const std::uint64_t element = (src ? src : dst)->image.format.bytes();
    if (src && dst && dst->image.format.bytes() != element)
        return refuse(cudaErrorInvalidValue, "the arrays have elements of {} and {} bytes", element,
                      dst->image.format.bytes());
    if (__builtin_mul_overflow(box.width, element, &box.width)) return cudaErrorInvalidValue;
    return cudaSuccess;
}

/// A side of a 3D copy: the rows from `position` on, or the error. Positions count elements of `counted`, the
/// array that takes part on either side, even those in memory (measured on an H200); without one they count bytes.
cudaError_t side_of(const char* role, const Array* array, const cudaPitchedPtr& memory, const cudaPos& position,
                    const Array* counted, const Box& extent, Rows& rows) {
    if (array && memory.ptr) return refuse(cudaErrorInvalidValue, "both {0}Array and {0}Ptr are given", role);
    if (array) {
        std::uint64_t x;
        if (__builtin_mul_overflow(position.x, array->image.format.bytes(), &x)) return cudaErrorInvalidValue;
        return rows_of(*array, x, position.y, position.z, extent, role, rows);
    }
    if (!memory.ptr) return refuse(cudaErrorInvalidValue, "{}Ptr.ptr is null", role);
    const std::uint64_t element = counted ? counted->image.format.bytes() : 1;
    std::size_t first, row_end, rows_end;
    if (__builtin_mul_overflow(position.x, element, &first) || __builtin_add_overflow(first, extent.width, &row_end) ||
        __builtin_add_overflow(position.y, extent.height, &rows_end))
        return cudaErrorInvalidValue;
    // Recorded on an H200: the code depends on whether the extent alone is too large, wherever it begins.
    const auto beyond = [&](bool extent_alone) {
        return extent_alone && !counted ? cudaErrorInvalidPitchValue : cudaErrorInvalidValue;
    };
    if (row_end > memory.pitch)
        return refuse(beyond(extent.width > memory.pitch), "a row ends at byte {}, beyond {}Ptr.pitch = {}", row_end,
                      role, memory.pitch);
    if (rows_end > memory.ysize && (extent.depth > 1 || memory.ysize != 0))
        return refuse(beyond(extent.depth > 1 && extent.height > memory.ysize),
                      "a slice ends at row {}, beyond {}Ptr.ysize = {}", rows_end, role, memory.ysize);
    rows.pitch = memory.pitch;
    rows.slice = memory.pitch * memory.ysize;
    rows.base = memory.ptr;
    rows.position = position;
    rows.pointer =
        static_cast<const std::byte*>(memory.ptr) + position.z * rows.slice + position.y * rows.pitch + first;
    return cudaSuccess;
}

cudaError_t copy_3d(Gpu& gpu, const cudaMemcpy3DParms* p, cudaStream_t stream, Wait wait) {
    if (!p) return cudaErrorInvalidValue;
    if (Box{p->extent.width, p->extent.height, p->extent.depth}.empty()) return cudaSuccess;
    CopyTask task;
    if (const cudaError_t bad = read_parameters(gpu, *p, task); bad != cudaSuccess) return bad;
    Stream* on = gpu.stream(stream);
    if (!on) return cudaErrorInvalidResourceHandle;
    return copy(gpu, task.dst, task.src, task.box, task.kind, *on, wait);
}

cudaError_t check_peers(Gpu& gpu, int dst, int src) {
    for (int device : {dst, src})
        if (!gpu.has_device(device)) return refuse(cudaErrorInvalidDevice, "there is no device {}", device);
    return cudaSuccess;
}

cudaError_t copy_3d_peer(Gpu& gpu, const cudaMemcpy3DPeerParms* p, cudaStream_t stream, Wait wait) {
    if (!p) return cudaErrorInvalidValue;
    if (const cudaError_t bad = check_peers(gpu, p->dstDevice, p->srcDevice); bad != cudaSuccess) return bad;
    cudaMemcpy3DParms same{};
    same.srcArray = p->srcArray, same.srcPos = p->srcPos, same.srcPtr = p->srcPtr;
    same.dstArray = p->dstArray, same.dstPos = p->dstPos, same.dstPtr = p->dstPtr;
    same.extent = p->extent;
    same.kind = cudaMemcpyDeviceToDevice;
    return copy_3d(gpu, &same, stream, wait);
}

}  // namespace

cudaError_t read_parameters(Gpu& gpu, const cudaMemcpy3DParms& p, CopyTask& task) {
    Box box{p.extent.width, p.extent.height, p.extent.depth};
    if (const cudaError_t bad = check_kind(p.kind); bad != cudaSuccess) return bad;
    const bool from_array = p.srcArray != nullptr, to_array = p.dstArray != nullptr;
    // The driver refuses it, with another code than the 2D forms have (recorded on an H200).
    if (check_array_kind(p.kind, to_array, from_array) != cudaSuccess) return cudaErrorInvalidValue;
    const Array* src_array = from_array ? find_array(gpu, p.srcArray) : nullptr;
    const Array* dst_array = to_array ? find_array(gpu, p.dstArray) : nullptr;
    if ((from_array && !src_array) || (to_array && !dst_array)) return cudaErrorInvalidResourceHandle;
    if (const cudaError_t bad = use_bytes(src_array, dst_array, box); bad != cudaSuccess) return bad;
    task = {.dst = {.handle = p.dstArray}, .src = {.handle = p.srcArray}, .box = box, .kind = p.kind};
    const Array* counted = src_array ? src_array : dst_array;
    const cudaError_t bad = side_of("src", src_array, p.srcPtr, p.srcPos, counted, box, task.src);
    return bad != cudaSuccess ? bad : side_of("dst", dst_array, p.dstPtr, p.dstPos, counted, box, task.dst);
}

cudaError_t cudaMemcpy(Gpu& gpu, void* dst, const void* src, std::size_t count, cudaMemcpyKind kind) {
    return copy_1d(gpu, dst, src, count, kind, nullptr, Wait::host);
}

cudaError_t cudaMemcpyAsync(Gpu& gpu, void* dst, const void* src, std::size_t count, cudaMemcpyKind kind,
                            cudaStream_t stream) {
    return copy_1d(gpu, dst, src, count, kind, stream, Wait::none);
}

cudaError_t cudaMemcpyPeer(Gpu& gpu, void* dst, int dstDevice, const void* src, int srcDevice, std::size_t count) {
    if (count == 0) return cudaSuccess;
    if (const cudaError_t bad = check_peers(gpu, dstDevice, srcDevice); bad != cudaSuccess) return bad;
    return copy_1d(gpu, dst, src, count, cudaMemcpyDeviceToDevice, nullptr, Wait::host);
}

cudaError_t cudaMemcpyPeerAsync(Gpu& gpu, void* dst, int dstDevice, const void* src, int srcDevice, std::size_t count,
                                cudaStream_t stream) {
    if (count == 0) return cudaSuccess;
    if (const cudaError_t bad = check_peers(gpu, dstDevice, srcDevice); bad != cudaSuccess) return bad;
    return copy_1d(gpu, dst, src, count, cudaMemcpyDeviceToDevice, stream, Wait::none);
}

cudaError_t cudaMemcpy2D(Gpu& gpu, void* dst, std::size_t dpitch, const void* src, std::size_t spitch,
                         std::size_t width, std::size_t height, cudaMemcpyKind kind) {
    return copy_2d(gpu, dst, dpitch, src, spitch, width, height, kind, nullptr, Wait::host);
}

cudaError_t cudaMemcpy2DAsync(Gpu& gpu, void* dst, std::size_t dpitch, const void* src, std::size_t spitch,
                              std::size_t width, std::size_t height, cudaMemcpyKind kind, cudaStream_t stream) {
    return copy_2d(gpu, dst, dpitch, src, spitch, width, height, kind, stream, Wait::none);
}

cudaError_t cudaMemcpy3D(Gpu& gpu, const cudaMemcpy3DParms* p) {
    return copy_3d(gpu, p, nullptr, Wait::host);
}

cudaError_t cudaMemcpy3DAsync(Gpu& gpu, const cudaMemcpy3DParms* p, cudaStream_t stream) {
    return copy_3d(gpu, p, stream, Wait::none);
}

cudaError_t cudaMemcpy3DPeer(Gpu& gpu, const cudaMemcpy3DPeerParms* p) {
    return copy_3d_peer(gpu, p, nullptr, Wait::host);
}

cudaError_t cudaMemcpy3DPeerAsync(Gpu& gpu, const cudaMemcpy3DPeerParms* p, cudaStream_t stream) {
    return copy_3d_peer(gpu, p, stream, Wait::none);
}

}  // namespace cudash::virtual_gpu::runtime
