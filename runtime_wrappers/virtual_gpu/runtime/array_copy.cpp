// Copies to, from and between CUDA arrays. cudaMemcpy3D, which takes arrays too, is in copy.cpp.
#include "runtime_wrappers/virtual_gpu/runtime/array_handle.h"
#include "runtime_wrappers/virtual_gpu/runtime/bodies.h"

namespace cudash::virtual_gpu::runtime {
namespace {

/// A corner of an array, in bytes and rows.
struct Corner {
    cudaArray_const_t array;
    std::size_t x, y;
};
struct Memory {
    const void* pointer;
    std::size_t pitch;
};

cudaError_t check_pitch(std::size_t pitch, const Box& box, const char* name) {
    if (box.width <= pitch) return cudaSuccess;
    // A single row gets as far as the driver, which refuses it with another code (recorded on an H200).
    return refuse_with_hint(box.height > 1 ? cudaErrorInvalidPitchValue : cudaErrorInvalidValue,
                            fmt::format("rows of {} bytes do not fit {} = {}", box.width, name, pitch),
                            "width and pitch are in bytes");
}

cudaError_t corner_rows(Gpu& gpu, const Corner& corner, const Box& box, const char* role, Rows& rows) {
    const Array* array = find_array(gpu, corner.array);
    if (!array) return cudaErrorInvalidResourceHandle;
    rows.handle = const_cast<cudaArray_t>(corner.array);
    return rows_of(*array, corner.x, corner.y, 0, box, role, rows);
}

cudaError_t copy_2d_to_array(Gpu& gpu, const Corner& dst, const Memory& src, const Box& box, cudaMemcpyKind kind,
                             cudaStream_t stream, Wait wait) {
    if (box.empty()) return cudaSuccess;
    if (const cudaError_t bad = check_array_kind(kind, true, false); bad != cudaSuccess) return bad;
    if (const cudaError_t bad = check_pitch(src.pitch, box, "spitch"); bad != cudaSuccess) return bad;
    Rows to;
    if (const cudaError_t bad = corner_rows(gpu, dst, box, "dst", to); bad != cudaSuccess) return bad;
    Stream* on = gpu.stream(stream);
    if (!on) return cudaErrorInvalidResourceHandle;
    return copy(gpu, to, {.pointer = src.pointer, .pitch = src.pitch}, box, kind, *on, wait);
}

cudaError_t copy_2d_from_array(Gpu& gpu, const Memory& dst, const Corner& src, const Box& box, cudaMemcpyKind kind,
                               cudaStream_t stream, Wait wait) {
    if (box.empty()) return cudaSuccess;
    if (const cudaError_t bad = check_array_kind(kind, false, true); bad != cudaSuccess) return bad;
    if (const cudaError_t bad = check_pitch(dst.pitch, box, "dpitch"); bad != cudaSuccess) return bad;
    Rows from;
    if (const cudaError_t bad = corner_rows(gpu, src, box, "src", from); bad != cudaSuccess) return bad;
    Stream* on = gpu.stream(stream);
    if (!on) return cudaErrorInvalidResourceHandle;
    return copy(gpu, {.pointer = dst.pointer, .pitch = dst.pitch}, from, box, kind, *on, wait);
}

cudaError_t copy_between_arrays(Gpu& gpu, const Corner& dst, const Corner& src, const Box& box, cudaMemcpyKind kind) {
    if (box.empty()) return cudaSuccess;
    if (const cudaError_t bad = check_array_kind(kind, true, true); bad != cudaSuccess) return bad;
    Rows to, from;
    if (const cudaError_t bad = corner_rows(gpu, dst, box, "dst", to); bad != cudaSuccess) return bad;
    if (const cudaError_t bad = corner_rows(gpu, src, box, "src", from); bad != cudaSuccess) return bad;
    return copy(gpu, to, from, box, kind, *gpu.stream(nullptr), Wait::none);
}

/// The deprecated forms copy `count` bytes that may run on from one row to the next.
cudaError_t run_of_rows(Gpu& gpu, const Corner& corner, std::size_t count, const char* role, Rows& rows) {
    const Array* array = find_array(gpu, corner.array);
    if (!array) return cudaErrorInvalidResourceHandle;
    const ImageLevel& level = array->image.levels.front();
    std::uint64_t first;
    if (corner.x > level.pitch || __builtin_mul_overflow(corner.y, level.pitch, &first) ||
        __builtin_add_overflow(first, corner.x, &first) || first > level.slice || count > level.slice - first)
        return refuse(cudaErrorInvalidValue, "{} bytes from ({}, {}) of {} are beyond its {} bytes", count, corner.x,
                      corner.y, role, level.slice);
    rows.array = array->image.array;
    rows.offset = level.offset + first;
    rows.handle = const_cast<cudaArray_t>(corner.array);
    rows.position = {corner.x / array->image.format.bytes(), corner.y, 0};
    return cudaSuccess;
}

cudaError_t copy_to_array(Gpu& gpu, const Corner& dst, const void* src, std::size_t count, cudaMemcpyKind kind,
                          cudaStream_t stream, Wait wait) {
    if (count == 0) return cudaSuccess;
    if (const cudaError_t bad = check_array_kind(kind, true, false); bad != cudaSuccess) return bad;
    Rows to;
    if (const cudaError_t bad = run_of_rows(gpu, dst, count, "dst", to); bad != cudaSuccess) return bad;
    Stream* on = gpu.stream(stream);
    if (!on) return cudaErrorInvalidResourceHandle;
    return copy(gpu, to, {.pointer = src}, {.width = count}, kind, *on, wait);
}

cudaError_t copy_from_array(Gpu& gpu, void* dst, const Corner& src, std::size_t count, cudaMemcpyKind kind,
                            cudaStream_t stream, Wait wait) {
    if (count == 0) return cudaSuccess;
    if (const cudaError_t bad = check_array_kind(kind, false, true); bad != cudaSuccess) return bad;
    Rows from;
    if (const cudaError_t bad = run_of_rows(gpu, src, count, "src", from); bad != cudaSuccess) return bad;
    Stream* on = gpu.stream(stream);
    if (!on) return cudaErrorInvalidResourceHandle;
    return copy(gpu, {.pointer = dst}, from, {.width = count}, kind, *on, wait);
}

}  // namespace

cudaError_t rows_of(const Array& array, std::uint64_t x, std::uint64_t y, std::uint64_t z, const Box& box,
                    const char* role, Rows& rows) {
    const ImageLevel& level = array.image.levels.front();
    const std::uint64_t element = array.image.format.bytes();
    const auto fits = [](std::uint64_t first, std::uint64_t count, std::uint64_t limit) {
        return count <= limit && first <= limit - count;
    };
    if (!fits(x, box.width, level.pitch) || !fits(y, box.height, level.height) || !fits(z, box.depth, level.depth))
        return refuse_with_hint(
            cudaErrorInvalidValue,
            fmt::format("{} x {} x {} bytes at ({}, {}, {}) do not fit {}, which has {} x {} x {} bytes", box.width,
                        box.height, box.depth, x, y, z, role, level.pitch, level.height, level.depth),
            "offsets and widths of 2D copies are in bytes, those of cudaMemcpy3D in elements of the array");
    // A copy may begin and end within an element (recorded on an H200).
    rows.pitch = level.pitch;
    rows.slice = level.slice;
    rows.array = array.image.array;
    rows.offset = array.image.place(level, 0, y, z) + x;
    rows.position = {x / element, y, z};
    return cudaSuccess;
}

cudaError_t check_array_kind(cudaMemcpyKind kind, bool to_array, bool from_array) {
    if (const cudaError_t bad = check_kind(kind); bad != cudaSuccess) return bad;
    const bool to_host = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyHostToHost;
    const bool from_host = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyHostToHost;
    if (!(to_array && to_host) && !(from_array && from_host)) return cudaSuccess;
    return refuse(cudaErrorInvalidMemcpyDirection, "the kind says that {} is on the host, but it is a CUDA array",
                  to_array && to_host ? "dst" : "src");
}

cudaError_t cudaMemcpy2DToArray(Gpu& gpu, cudaArray_t dst, std::size_t wOffset, std::size_t hOffset, const void* src,
                                std::size_t spitch, std::size_t width, std::size_t height, cudaMemcpyKind kind) {
    return copy_2d_to_array(gpu, {dst, wOffset, hOffset}, {src, spitch}, {.width = width, .height = height}, kind,
                            nullptr, Wait::host);
}

cudaError_t cudaMemcpy2DToArrayAsync(Gpu& gpu, cudaArray_t dst, std::size_t wOffset, std::size_t hOffset,
                                     const void* src, std::size_t spitch, std::size_t width, std::size_t height,
                                     cudaMemcpyKind kind, cudaStream_t stream) {
    return copy_2d_to_array(gpu, {dst, wOffset, hOffset}, {src, spitch}, {.width = width, .height = height}, kind,
                            stream, Wait::none);
}

cudaError_t cudaMemcpy2DFromArray(Gpu& gpu, void* dst, std::size_t dpitch, cudaArray_const_t src, std::size_t wOffset,
                                  std::size_t hOffset, std::size_t width, std::size_t height, cudaMemcpyKind kind) {
    return copy_2d_from_array(gpu, {dst, dpitch}, {src, wOffset, hOffset}, {.width = width, .height = height}, kind,
                              nullptr, Wait::host);
}

cudaError_t cudaMemcpy2DFromArrayAsync(Gpu& gpu, void* dst, std::size_t dpitch, cudaArray_const_t src,
                                       std::size_t wOffset, std::size_t hOffset, std::size_t width, std::size_t height,
                                       cudaMemcpyKind kind, cudaStream_t stream) {
    return copy_2d_from_array(gpu, {dst, dpitch}, {src, wOffset, hOffset}, {.width = width, .height = height}, kind,
                              stream, Wait::none);
}

cudaError_t cudaMemcpy2DArrayToArray(Gpu& gpu, cudaArray_t dst, std::size_t wOffsetDst, std::size_t hOffsetDst,
                                     cudaArray_const_t src, std::size_t wOffsetSrc, std::size_t hOffsetSrc,
                                     std::size_t width, std::size_t height, cudaMemcpyKind kind) {
    return copy_between_arrays(gpu, {dst, wOffsetDst, hOffsetDst}, {src, wOffsetSrc, hOffsetSrc},
                               {.width = width, .height = height}, kind);
}

cudaError_t cudaMemcpyToArray(Gpu& gpu, cudaArray_t dst, std::size_t wOffset, std::size_t hOffset, const void* src,
                              std::size_t count, cudaMemcpyKind kind) {
    return copy_to_array(gpu, {dst, wOffset, hOffset}, src, count, kind, nullptr, Wait::host);
}

cudaError_t cudaMemcpyToArrayAsync(Gpu& gpu, cudaArray_t dst, std::size_t wOffset, std::size_t hOffset, const void* src,
                                   std::size_t count, cudaMemcpyKind kind, cudaStream_t stream) {
    return copy_to_array(gpu, {dst, wOffset, hOffset}, src, count, kind, stream, Wait::none);
}

cudaError_t cudaMemcpyFromArray(Gpu& gpu, void* dst, cudaArray_const_t src, std::size_t wOffset, std::size_t hOffset,
                                std::size_t count, cudaMemcpyKind kind) {
    return copy_from_array(gpu, dst, {src, wOffset, hOffset}, count, kind, nullptr, Wait::host);
}

cudaError_t cudaMemcpyFromArrayAsync(Gpu& gpu, void* dst, cudaArray_const_t src, std::size_t wOffset,
                                     std::size_t hOffset, std::size_t count, cudaMemcpyKind kind, cudaStream_t stream) {
    return copy_from_array(gpu, dst, {src, wOffset, hOffset}, count, kind, stream, Wait::none);
}

cudaError_t cudaMemcpyArrayToArray(Gpu& gpu, cudaArray_t dst, std::size_t wOffsetDst, std::size_t hOffsetDst,
                                   cudaArray_const_t src, std::size_t wOffsetSrc, std::size_t hOffsetSrc,
                                   std::size_t count, cudaMemcpyKind kind) {
    if (count == 0) return cudaSuccess;
    if (const cudaError_t bad = check_array_kind(kind, true, true); bad != cudaSuccess) return bad;
    Rows to, from;
    if (const cudaError_t bad = run_of_rows(gpu, {dst, wOffsetDst, hOffsetDst}, count, "dst", to); bad != cudaSuccess)
        return bad;
    if (const cudaError_t bad = run_of_rows(gpu, {src, wOffsetSrc, hOffsetSrc}, count, "src", from); bad != cudaSuccess)
        return bad;
    return copy(gpu, to, from, {.width = count}, kind, *gpu.stream(nullptr), Wait::none);
}

}  // namespace cudash::virtual_gpu::runtime
