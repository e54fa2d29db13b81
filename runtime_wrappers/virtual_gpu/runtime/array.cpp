// CUDA arrays and mipmapped arrays: allocation, release and what they are. Copies are in array_copy.cpp.
#include <algorithm>
#include <bit>

#include "runtime_wrappers/virtual_gpu/runtime/array_handle.h"
#include "runtime_wrappers/virtual_gpu/runtime/bodies.h"
#include "runtime_wrappers/virtual_gpu/runtime/capture.h"
#include "runtime_wrappers/virtual_gpu/runtime/channel_format.h"
#include "runtime_wrappers/virtual_gpu/runtime/device_attributes.h"

namespace cudash::virtual_gpu::runtime {
namespace {

constexpr unsigned known_flags = cudaArrayLayered | cudaArraySurfaceLoadStore | cudaArrayCubemap |
                                 cudaArrayTextureGather | cudaArrayColorAttachment | cudaArraySparse |
                                 cudaArrayDeferredMapping;
constexpr unsigned lacking_flags = cudaArraySparse | cudaArrayDeferredMapping;

/// The largest extents of each shape: "cudaMalloc3DArray", its table of valid extents.
struct Limits {
    ImageShape shape;
    cudaDeviceAttr texture[3], surface[3];
    unsigned axes;  ///< how many of them there are
};
constexpr Limits limit_rows[] = {
    {ImageShape::d1, {cudaDevAttrMaxTexture1DWidth}, {cudaDevAttrMaxSurface1DWidth}, 1},
    {ImageShape::d2,
     {cudaDevAttrMaxTexture2DWidth, cudaDevAttrMaxTexture2DHeight},
     {cudaDevAttrMaxSurface2DWidth, cudaDevAttrMaxSurface2DHeight},
     2},
    {ImageShape::d3,
     {cudaDevAttrMaxTexture3DWidth, cudaDevAttrMaxTexture3DHeight, cudaDevAttrMaxTexture3DDepth},
     {cudaDevAttrMaxSurface3DWidth, cudaDevAttrMaxSurface3DHeight, cudaDevAttrMaxSurface3DDepth},
     3},
    {ImageShape::a1d,
     {cudaDevAttrMaxTexture1DLayeredWidth, cudaDevAttrMaxTexture1DLayeredLayers},
     {cudaDevAttrMaxSurface1DLayeredWidth, cudaDevAttrMaxSurface1DLayeredLayers},
     2},
    {ImageShape::a2d,
     {cudaDevAttrMaxTexture2DLayeredWidth, cudaDevAttrMaxTexture2DLayeredHeight, cudaDevAttrMaxTexture2DLayeredLayers},
     {cudaDevAttrMaxSurface2DLayeredWidth, cudaDevAttrMaxSurface2DLayeredHeight, cudaDevAttrMaxSurface2DLayeredLayers},
     3},
    {ImageShape::cube, {cudaDevAttrMaxTextureCubemapWidth}, {cudaDevAttrMaxSurfaceCubemapWidth}, 1},
    {ImageShape::acube,
     {cudaDevAttrMaxTextureCubemapLayeredWidth, cudaDevAttrMaxTextureCubemapLayeredLayers},
     {cudaDevAttrMaxSurfaceCubemapLayeredWidth, cudaDevAttrMaxSurfaceCubemapLayeredLayers},
     2},
};

/// "cudaMalloc3DArray": which zero extents and flags make which kind of array; nullopt for what makes none.
std::optional<ImageShape> shape_of(const cudaExtent& e, unsigned flags) {
    const bool layered = flags & cudaArrayLayered;
    if (flags & cudaArrayCubemap) {
        if (e.width == 0 || e.width != e.height || e.depth == 0 || e.depth % 6 != 0) return std::nullopt;
        if (!layered && e.depth != 6) return std::nullopt;
        return layered ? ImageShape::acube : ImageShape::cube;
    }
    if (e.width == 0 || (layered && e.depth == 0)) return std::nullopt;
    if (layered) return e.height == 0 ? ImageShape::a1d : ImageShape::a2d;
    if (e.height == 0) return e.depth == 0 ? std::optional(ImageShape::d1) : std::nullopt;
    return e.depth == 0 ? ImageShape::d2 : ImageShape::d3;
}

bool is_layered(ImageShape shape) {
    return shape == ImageShape::a1d || shape == ImageShape::a2d || is_cube(shape);
}

cudaError_t check_extent(Gpu& gpu, ImageShape shape, const cudaExtent& extent, unsigned flags) {
    const auto* row = std::find_if(std::begin(limit_rows), std::end(limit_rows),
                                   [&](const Limits& limits) { return limits.shape == shape; });
    const std::size_t flat[] = {extent.width,
                                shape == ImageShape::a1d || shape == ImageShape::acube ? extent.depth : extent.height,
                                extent.depth};
    const auto most = [&](cudaDeviceAttr which) {
        return static_cast<std::size_t>(attribute(gpu.profile, gpu.current(), which).value_or(0));
    };
    for (unsigned axis = 0; axis < row->axes; ++axis) {
        std::size_t limit = most(row->texture[axis]);
        if (flags & cudaArraySurfaceLoadStore) limit = std::min(limit, most(row->surface[axis]));
        if ((flags & cudaArrayTextureGather) && axis < 2)
            limit = std::min(
                limit, most(axis == 0 ? cudaDevAttrMaxTexture2DGatherWidth : cudaDevAttrMaxTexture2DGatherHeight));
        if (flat[axis] > limit)
            return refuse(cudaErrorInvalidValue, "{} of {} elements can be {} long at most, not {}",
                          axis == 0 ? "a row" : "a dimension", name_of(shape), limit, flat[axis]);
    }
    return cudaSuccess;
}

/// The array that the arguments describe, without memory; or the error.
cudaError_t describe(Gpu& gpu, const cudaChannelFormatDesc* desc, const cudaExtent& extent, unsigned flags,
                     Image& image) {
    if (is_compressed(desc->f))
        return refuse(cudaErrorNotSupported,
                      "block-compressed and planar formats are not implemented on the "
                      "virtual GPU");
    const auto format = texel_format(*desc);
    if (!format)
        return refuse_with_hint(cudaErrorInvalidChannelDescriptor,
                                fmt::format("no array has elements of {}, {}, {} and {} bits of kind {}", desc->x,
                                            desc->y, desc->z, desc->w, static_cast<int>(desc->f)),
                                "one, two or four channels of 8, 16 or 32 bits: cudaCreateChannelDesc<float4>() knows");
    if (flags & ~known_flags) return refuse(cudaErrorInvalidValue, "there is no flag {:#x}", flags & ~known_flags);
    if (flags & lacking_flags)
        return refuse(cudaErrorNotSupported, "sparse and deferred arrays are not implemented on the virtual GPU");
    const auto shape = shape_of(extent, flags);
    if (!shape)
        return refuse(cudaErrorInvalidValue, "an extent of ({}, {}, {}) with flags {:#x} makes no array", extent.width,
                      extent.height, extent.depth, flags);
    if ((flags & cudaArrayTextureGather) && *shape != ImageShape::d2)
        return refuse(cudaErrorInvalidValue, "only 2D arrays can be gathered from");
    image.shape = *shape;
    image.format = *format;
    return check_extent(gpu, *shape, extent, flags);
}

/// Lays out `count` levels one after the other, each half as large as the one before; returns the bytes of all.
std::uint64_t lay_out(Image& image, const cudaExtent& extent, unsigned count) {
    std::uint64_t offset = 0;
    for (unsigned l = 0; l < count; ++l) {
        const auto halved = [&](std::size_t size) { return std::max<std::uint64_t>(size >> l, 1); };
        ImageLevel level;
        level.width = halved(extent.width);
        level.height = halved(extent.height);
        level.depth = is_layered(image.shape) ? extent.depth : halved(extent.depth);
        level.offset = offset;
        level.pitch = level.width * image.format.bytes();
        level.slice = level.pitch * level.height;
        offset += level.slice * level.depth;
        image.levels.push_back(level);
    }
    return offset;
}

cudaError_t give_memory(Gpu& gpu, Image& image, std::uint64_t size) {
    if (const cudaError_t bad = refuse_while_capturing(gpu); bad != cudaSuccess) return bad;
    if (const cudaError_t full = gpu.memory.check_room(size, gpu.current()); full != cudaSuccess) return full;
    if (std::uint64_t available = 0; !gpu.memory.host_has_room(size, available))
        return refuse(cudaErrorMemoryAllocation, "{} bytes were asked for, and this computer has {} free", size,
                      available);
    image.array = ArrayStorage::create(size, gpu.memory.origin());
    if (!image.array) return cudaErrorMemoryAllocation;
    gpu.images.take(gpu.current(), image.array->size());
    return cudaSuccess;
}

cudaError_t make_array(Gpu& gpu, cudaArray_t* array, const cudaChannelFormatDesc* desc, const cudaExtent& extent,
                       unsigned flags) {
    if (!array || !desc) return refuse(cudaErrorInvalidValue, "{} is null", array ? "desc" : "array");
    Array made{.format = *desc, .extent = extent, .flags = flags, .device = gpu.current(), .image = {}};
    if (const cudaError_t bad = describe(gpu, desc, extent, flags, made.image); bad != cudaSuccess) return bad;
    const std::uint64_t size = lay_out(made.image, extent, 1);
    if (const cudaError_t bad = give_memory(gpu, made.image, size); bad != cudaSuccess) return bad;
    *array = gpu.images.arrays.add(std::move(made));
    return cudaSuccess;
}

/// Freeing an array "implicitly synchronizes", as cudaFree does.
cudaError_t finish_uses(Gpu& gpu) {
    if (const cudaError_t bad = refuse_while_capturing(gpu); bad != cudaSuccess) return bad;
    return gpu.scheduler.wait_for_devices();
}

/// The extent of one level, unused dimensions still 0.
cudaExtent level_extent(const MipmappedArray& whole, unsigned level) {
    const auto halved = [&](std::size_t size) { return size == 0 ? 0 : std::max<std::size_t>(size >> level, 1); };
    return {halved(whole.extent.width), halved(whole.extent.height),
            is_layered(whole.image.shape) ? whole.extent.depth : halved(whole.extent.depth)};
}

}  // namespace

Array* find_array(Gpu& gpu, cudaArray_const_t handle) {
    Array* found = gpu.images.arrays.find(const_cast<cudaArray_t>(handle));
    if (found) return found;
    if (handle)
        refuse(cudaErrorInvalidResourceHandle, "{} is not a CUDA array, or was freed", fmt::ptr(handle));
    else
        refuse(cudaErrorInvalidResourceHandle, "the array is null: it was never allocated");
    return nullptr;
}

MipmappedArray* find_mipmapped_array(Gpu& gpu, cudaMipmappedArray_const_t handle) {
    MipmappedArray* found = gpu.images.mipmapped.find(const_cast<cudaMipmappedArray_t>(handle));
    if (!found) refuse(cudaErrorInvalidResourceHandle, "{} is not a mipmapped array, or was freed", fmt::ptr(handle));
    return found;
}

cudaError_t cudaMallocArray(Gpu& gpu, cudaArray_t* array, const cudaChannelFormatDesc* desc, std::size_t width,
                            std::size_t height, unsigned flags) {
    if (flags & (cudaArrayLayered | cudaArrayCubemap))
        return refuse_with_hint(cudaErrorInvalidValue, "layered arrays and cubemaps have three dimensions",
                                "use cudaMalloc3DArray");
    return make_array(gpu, array, desc, {width, height, 0}, flags);
}

cudaError_t cudaMalloc3DArray(Gpu& gpu, cudaArray_t* array, const cudaChannelFormatDesc* desc, cudaExtent extent,
                              unsigned flags) {
    return make_array(gpu, array, desc, extent, flags);
}

cudaError_t cudaMallocMipmappedArray(Gpu& gpu, cudaMipmappedArray_t* mipmappedArray, const cudaChannelFormatDesc* desc,
                                     cudaExtent extent, unsigned numLevels, unsigned flags) {
    if (!mipmappedArray || !desc)
        return refuse(cudaErrorInvalidValue, "{} is null", mipmappedArray ? "desc" : "mipmappedArray");
    MipmappedArray made{
        .format = *desc, .extent = extent, .flags = flags, .device = gpu.current(), .image = {}, .levels = {}};
    if (const cudaError_t bad = describe(gpu, desc, extent, flags, made.image); bad != cudaSuccess) return bad;
    // "numLevels ... is clamped to the range [1, 1 + floor(log2(max(width, height, depth)))]".
    const std::size_t depth = is_layered(made.image.shape) ? 0 : extent.depth;
    const auto most = static_cast<unsigned>(std::bit_width(std::max({extent.width, extent.height, depth})));
    const unsigned count = std::clamp(numLevels, 1u, most);
    const std::uint64_t size = lay_out(made.image, extent, count);
    if (const cudaError_t bad = give_memory(gpu, made.image, size); bad != cudaSuccess) return bad;
    const cudaMipmappedArray_t handle = gpu.images.mipmapped.add(made);
    MipmappedArray& whole = *gpu.images.mipmapped.find(handle);
    for (unsigned l = 0; l < count; ++l) {
        Array level{.format = *desc,
                    .extent = level_extent(whole, l),
                    .flags = flags,
                    .device = whole.device,
                    .image = whole.image,
                    .owner = handle};
        level.image.levels = {whole.image.levels[l]};
        whole.levels.push_back(gpu.images.arrays.add(std::move(level)));
    }
    *mipmappedArray = handle;
    return cudaSuccess;
}

cudaError_t cudaGetMipmappedArrayLevel(Gpu& gpu, cudaArray_t* levelArray, cudaMipmappedArray_const_t mipmappedArray,
                                       unsigned level) {
    const MipmappedArray* whole = find_mipmapped_array(gpu, mipmappedArray);
    if (!whole) return cudaErrorInvalidResourceHandle;
    if (!levelArray) return refuse(cudaErrorInvalidValue, "levelArray is null");
    if (level >= whole->levels.size())
        return refuse(cudaErrorInvalidValue, "there is no level {}: the array has {}", level, whole->levels.size());
    *levelArray = whole->levels[level];
    return cudaSuccess;
}

cudaError_t cudaFreeArray(Gpu& gpu, cudaArray_t array) {
    if (!array) return cudaSuccess;
    Array* found = find_array(gpu, array);
    if (!found) return cudaErrorInvalidResourceHandle;
    if (const cudaError_t bad = finish_uses(gpu); bad != cudaSuccess) return bad;
    // A level is taken too (recorded on an H200); its memory is the mipmapped array's and goes with that.
    if (found->owner) return cudaSuccess;
    gpu.images.give_back(found->device, found->image);
    gpu.images.arrays.remove(array);
    return cudaSuccess;
}

cudaError_t cudaFreeMipmappedArray(Gpu& gpu, cudaMipmappedArray_t mipmappedArray) {
    if (!mipmappedArray) return cudaSuccess;
    MipmappedArray* found = find_mipmapped_array(gpu, mipmappedArray);
    if (!found) return cudaErrorInvalidResourceHandle;
    if (const cudaError_t bad = finish_uses(gpu); bad != cudaSuccess) return bad;
    gpu.images.give_back(found->device, found->image);
    for (cudaArray_t level : found->levels) gpu.images.arrays.remove(level);
    gpu.images.mipmapped.remove(mipmappedArray);
    return cudaSuccess;
}

cudaError_t cudaArrayGetInfo(Gpu& gpu, cudaChannelFormatDesc* desc, cudaExtent* extent, unsigned* flags,
                             cudaArray_t array) {
    const Array* found = find_array(gpu, array);
    if (!found) return cudaErrorInvalidResourceHandle;
    if (desc) *desc = found->format;
    if (extent) *extent = found->extent;
    if (flags) *flags = found->flags;
    return cudaSuccess;
}

cudaError_t cudaGetChannelDesc(Gpu& gpu, cudaChannelFormatDesc* desc, cudaArray_const_t array) {
    if (!desc) return refuse(cudaErrorInvalidValue, "desc is null");
    const Array* found = find_array(gpu, array);
    if (!found) return cudaErrorInvalidResourceHandle;
    *desc = found->format;
    return cudaSuccess;
}

}  // namespace cudash::virtual_gpu::runtime
