// Texture objects: descriptions are checked and become an image and a sampler that kernels read through.
#include <algorithm>

#include "runtime_wrappers/virtual_gpu/runtime/bodies.h"
#include "runtime_wrappers/virtual_gpu/runtime/channel_format.h"
#include "runtime_wrappers/virtual_gpu/runtime/device_attributes.h"
#include "runtime_wrappers/virtual_gpu/runtime/resource.h"

namespace cudash::virtual_gpu::runtime {
namespace {

std::uint64_t most(const Gpu& gpu, cudaDeviceAttr which) {
    return static_cast<std::uint64_t>(attribute(gpu.profile, gpu.current(), which).value_or(0));
}

/// Where memory that a texture reads lies. Whether something is allocated there matters when a kernel reads it: any
/// aligned address is taken, and 0 bytes too (recorded on an H200).
cudaError_t check_memory(Gpu& gpu, const void* pointer) {
    const Address address = reinterpret_cast<Address>(pointer);
    if (!pointer) return refuse(cudaErrorInvalidValue, "devPtr is null");
    if (address % gpu.profile.texture_alignment != 0)
        return refuse_with_hint(
            cudaErrorInvalidValue,
            fmt::format("devPtr is not a multiple of the texture alignment of {} bytes", gpu.profile.texture_alignment),
            "take a pointer that cudaMalloc or cudaMallocPitch gave, and add the offset to the coordinate");
    return cudaSuccess;
}

cudaError_t read_linear(Gpu& gpu, const cudaResourceDesc& resource, Image& image) {
    const auto& linear = resource.res.linear;
    const auto format = texel_format(linear.desc);
    if (!format) return refuse(cudaErrorInvalidChannelDescriptor, "no texture has such elements");
    const std::uint64_t width = linear.sizeInBytes / format->bytes();
    if (width > most(gpu, cudaDevAttrMaxTexture1DLinearWidth))
        return refuse(cudaErrorInvalidValue, "{} elements are more than the {} that linear memory may have", width,
                      most(gpu, cudaDevAttrMaxTexture1DLinearWidth));
    image.shape = ImageShape::linear;
    image.format = *format;
    image.address = reinterpret_cast<Address>(linear.devPtr);
    image.bytes = width * format->bytes();
    // Of nothing there is one texel, which reads as 0.
    image.levels = {{.width = std::max<std::uint64_t>(width, 1), .pitch = image.bytes, .slice = image.bytes}};
    return check_memory(gpu, linear.devPtr);
}

cudaError_t read_pitched(Gpu& gpu, const cudaResourceDesc& resource, Image& image) {
    const auto& pitched = resource.res.pitch2D;
    const auto format = texel_format(pitched.desc);
    if (!format) return refuse(cudaErrorInvalidChannelDescriptor, "no texture has such elements");
    const std::uint64_t unit = most(gpu, cudaDevAttrTexturePitchAlignment);
    if (pitched.width == 0 || pitched.height == 0 || pitched.width > most(gpu, cudaDevAttrMaxTexture2DLinearWidth) ||
        pitched.height > most(gpu, cudaDevAttrMaxTexture2DLinearHeight) ||
        pitched.pitchInBytes > most(gpu, cudaDevAttrMaxTexture2DLinearPitch))
        return refuse(cudaErrorInvalidValue, "{} x {} elements with a pitch of {} bytes are too many or too few",
                      pitched.width, pitched.height, pitched.pitchInBytes);
    // A pitch shorter than a row is accepted: the rows overlap.
    if (pitched.pitchInBytes % unit != 0)
        return refuse_with_hint(cudaErrorInvalidValue,
                                fmt::format("a pitch of {} bytes is not a multiple of {}", pitched.pitchInBytes, unit),
                                "use the pitch that cudaMallocPitch gave; width counts elements");
    image.shape = ImageShape::d2;
    image.format = *format;
    image.address = reinterpret_cast<Address>(pitched.devPtr);
    image.bytes = pitched.pitchInBytes * (pitched.height - 1) + pitched.width * format->bytes();
    image.levels = {{.width = pitched.width,
                     .height = pitched.height,
                     .pitch = pitched.pitchInBytes,
                     .slice = pitched.pitchInBytes * pitched.height}};
    return check_memory(gpu, pitched.devPtr);
}

cudaError_t read_resource(Gpu& gpu, const cudaResourceDesc& resource, Image& image, cudaExtent& extent) {
    switch (resource.resType) {
        case cudaResourceTypeArray:
        case cudaResourceTypeMipmappedArray:
            return read_array_resource(gpu, resource, image, extent);
        case cudaResourceTypeLinear:
            return read_linear(gpu, resource, image);
        case cudaResourceTypePitch2D:
            return read_pitched(gpu, resource, image);
        default:
            break;
    }
    return refuse(cudaErrorInvalidValue, "there is no resource type {}", static_cast<int>(resource.resType));
}

/// Some of an array's levels; those that a mipmapped array lacks are left out (measured on an H200).
cudaError_t view_levels(const cudaResourceViewDesc& view, bool mipmapped, Image& image) {
    const std::size_t last = image.levels.size() - 1;
    if (view.firstMipmapLevel > view.lastMipmapLevel || (!mipmapped && view.lastMipmapLevel > 0))
        return refuse(cudaErrorInvalidValue, "levels {} to {} make no view: the array has {}", view.firstMipmapLevel,
                      view.lastMipmapLevel, image.levels.size());
    const auto levels = image.levels;
    image.levels.assign(
        levels.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(view.firstMipmapLevel, last)),
        levels.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(view.lastMipmapLevel, last)) + 1);
    return cudaSuccess;
}

/// Some of an array's layers. Those that it lacks read as 0; where the layers are cubemaps, the first is named by its
/// face and the last by how many more cubes there are (measured on an H200).
cudaError_t view_layers(const cudaResourceViewDesc& view, Image& image) {
    const bool layered =
        image.shape == ImageShape::a1d || image.shape == ImageShape::a2d || image.shape == ImageShape::acube;
    if (view.firstLayer > view.lastLayer || (!layered && view.lastLayer > 0))
        return refuse(cudaErrorInvalidValue, "layers {} to {} make no view{}", view.firstLayer, view.lastLayer,
                      layered ? "" : ": the array has no layers");
    if (!layered) return cudaSuccess;
    const std::uint64_t count = std::uint64_t{view.lastLayer} - view.firstLayer + 1;
    for (ImageLevel& level : image.levels) {
        const std::uint64_t skipped = std::min<std::uint64_t>(view.firstLayer, level.depth);
        level.offset += skipped * level.slice;
        level.stored_depth = level.depth - skipped;
        level.depth = image.shape == ImageShape::acube ? 6 * count : count;
    }
    return cudaSuccess;
}

/// Another format of the same size, and some of the levels and layers. What a view of other than arrays says does not
/// matter. The extents must be the array's own: 0 for axes that it lacks, and all its layers as the depth.
cudaError_t apply_view(const cudaResourceViewDesc& view, bool mipmapped, const cudaExtent& extent, Image& image) {
    if (!image.array) return cudaSuccess;
    if (view.format > cudaResViewFormatFloat4 && view.format <= cudaResViewFormatUnsignedBlockCompressed7)
        return refuse(cudaErrorNotSupported, "block-compressed formats are not implemented on the virtual GPU");
    const auto format = texel_format(view.format);
    if (!format || format->bytes() != image.format.bytes())
        return refuse(cudaErrorInvalidValue, "elements of {} bytes can't be viewed as format {}", image.format.bytes(),
                      static_cast<int>(view.format));
    image.format = *format;
    if (view.width != extent.width || view.height != extent.height || view.depth != extent.depth)
        return refuse(cudaErrorInvalidValue, "a view of {} x {} x {} does not fit the array of {} x {} x {}",
                      view.width, view.height, view.depth, extent.width, extent.height, extent.depth);
    if (const cudaError_t bad = view_levels(view, mipmapped, image); bad != cudaSuccess) return bad;
    return view_layers(view, image);
}

/// Whether elements of that format may be read and filtered so; a view does not matter (measured on an H200). A read
/// mode that there is not is as good as cudaReadModeElementType.
cudaError_t check_reading(const cudaTextureDesc& texture, const Image& image) {
    if (image.shape == ImageShape::linear) return cudaSuccess;
    const bool element = texture.readMode != cudaReadModeNormalizedFloat;
    const bool integer = image.format.kind != ChannelKind::floating && !image.format.normalized;
    if (texture.filterMode == cudaFilterModeLinear && integer && (element || image.format.channel_bytes == 4))
        return refuse_with_hint(cudaErrorInvalidFilterSetting, "linear filtering gives floats, not integers",
                                "read them as cudaReadModeNormalizedFloat, or use cudaFilterModePoint");
    if (!element && (image.format.kind == ChannelKind::floating || image.format.channel_bytes == 4))
        return refuse(cudaErrorInvalidNormSetting, "{} can't be read as normalized floats",
                      integer ? "integers of 32 bits" : "floats");
    if (element && image.format.normalized)
        return refuse_with_hint(cudaErrorInvalidNormSetting, "normalized integers can't be read as they are",
                                "read them as cudaReadModeNormalizedFloat");
    return cudaSuccess;
}

/// `own` is the format of the elements themselves, which a view of the image may not show.
cudaError_t read_sampler(const cudaTextureDesc& texture, const TexelFormat& own, const Image& image, Sampler& sampler) {
    for (unsigned a = 0; a < 3; ++a) {
        const auto mode = texture.addressMode[a];
        if (mode < cudaAddressModeWrap || mode > cudaAddressModeBorder)
            return refuse(cudaErrorInvalidValue, "addressMode[{}] = {} is not a mode", a, static_cast<int>(mode));
        sampler.address[a] = static_cast<AddressMode>(mode);
        // "If normalizedCoords is set to zero, cudaAddressModeWrap and cudaAddressModeMirror won't be supported and
        // will be switched to cudaAddressModeClamp."
        if (!texture.normalizedCoords && sampler.address[a] != AddressMode::border)
            sampler.address[a] = AddressMode::clamp;
    }
    for (const auto& [mode, name] :
         {std::pair(texture.filterMode, "filterMode"), std::pair(texture.mipmapFilterMode, "mipmapFilterMode")})
        if (mode != cudaFilterModePoint && mode != cudaFilterModeLinear)
            return refuse(cudaErrorInvalidValue, "{} = {} is not a mode", name, static_cast<int>(mode));
    sampler.linear = texture.filterMode == cudaFilterModeLinear;
    sampler.linear_between_levels = texture.mipmapFilterMode == cudaFilterModeLinear;
    sampler.normalized_coordinates = texture.normalizedCoords != 0;
    sampler.seamless = texture.seamlessCubemap != 0;
    // Integers of a view are read as they are only where the array's own elements are (measured on an H200).
    const bool as_integers = texture.readMode != cudaReadModeNormalizedFloat && own.kind != ChannelKind::floating &&
                             own.channel_bytes <= 2 && !own.normalized;
    sampler.read = as_integers ? ReadMode::element : texture.sRGB ? ReadMode::srgb : ReadMode::normalized;
    sampler.level_bias = texture.mipmapLevelBias;
    sampler.least_level = texture.minMipmapLevelClamp;
    sampler.most_level = texture.maxMipmapLevelClamp;
    sampler.border = border_texel(texture.borderColor, image.format, sampler.read);
    // Linear memory is neither filtered nor addressed by a mode, and integers of 32 bits can't be filtered.
    if (image.shape == ImageShape::linear || !reads_floats(image.format, sampler.read)) sampler.linear = false;
    return cudaSuccess;
}

const TextureDescription* texture_description(Gpu& gpu, cudaTextureObject_t handle) {
    return description(gpu.images.textures, handle, "texture");
}

}  // namespace

cudaError_t read_array_resource(Gpu& gpu, const cudaResourceDesc& resource, Image& image, cudaExtent& extent) {
    if (resource.resType == cudaResourceTypeMipmappedArray) {
        const MipmappedArray* array = find_mipmapped_array(gpu, resource.res.mipmap.mipmap);
        if (!array) return cudaErrorInvalidValue;
        image = array->image;
        extent = array->extent;
        return cudaSuccess;
    }
    const Array* array = find_array(gpu, resource.res.array.array);
    if (!array) return cudaErrorInvalidResourceHandle;
    image = array->image;
    extent = array->extent;
    return cudaSuccess;
}

cudaError_t cudaCreateTextureObject(Gpu& gpu, cudaTextureObject_t* pTexObject, const cudaResourceDesc* pResDesc,
                                    const cudaTextureDesc* pTexDesc, const cudaResourceViewDesc* pResViewDesc) {
    if (!pResDesc) return refuse(cudaErrorInvalidValue, "pResDesc is null");
    if (!pTexDesc) return refuse(cudaErrorInvalidResourceHandle, "pTexDesc is null");
    ImageObject object{.kind = ImageObject::Kind::texture, .image = {}, .sampler = {}, .origin = gpu.memory.origin()};
    cudaExtent extent{};
    if (const cudaError_t bad = read_resource(gpu, *pResDesc, object.image, extent); bad != cudaSuccess) return bad;
    if (!pTexObject) return refuse(cudaErrorInvalidValue, "pTexObject is null");
    const TexelFormat own = object.image.format;
    if (const cudaError_t bad = check_reading(*pTexDesc, object.image); bad != cudaSuccess) return bad;
    const bool mipmapped = pResDesc->resType == cudaResourceTypeMipmappedArray;
    if (pResViewDesc)
        if (const cudaError_t bad = apply_view(*pResViewDesc, mipmapped, extent, object.image); bad != cudaSuccess)
            return bad;
    if (const cudaError_t bad = read_sampler(*pTexDesc, own, object.image, object.sampler); bad != cudaSuccess)
        return bad;
    *pTexObject = gpu.images.objects.add(std::move(object));
    TextureDescription kept{.resource = *pResDesc, .texture = *pTexDesc, .view = {}, .device = gpu.current()};
    if (pResViewDesc) kept.view = *pResViewDesc;
    gpu.images.textures.emplace(*pTexObject, kept);
    return cudaSuccess;
}

cudaError_t cudaDestroyTextureObject(Gpu& gpu, cudaTextureObject_t texObject) {
    return destroy(gpu, gpu.images.textures, texObject, ImageObject::Kind::texture);
}

cudaError_t cudaGetTextureObjectResourceDesc(Gpu& gpu, cudaResourceDesc* pResDesc, cudaTextureObject_t texObject) {
    return give_resource(texture_description(gpu, texObject), pResDesc);
}

cudaError_t cudaGetTextureObjectTextureDesc(Gpu& gpu, cudaTextureDesc* pTexDesc, cudaTextureObject_t texObject) {
    const TextureDescription* found = texture_description(gpu, texObject);
    if (!found || !pTexDesc) return cudaErrorInvalidValue;
    *pTexDesc = found->texture;
    return cudaSuccess;
}

cudaError_t cudaGetTextureObjectResourceViewDesc(Gpu& gpu, cudaResourceViewDesc* pResViewDesc,
                                                 cudaTextureObject_t texObject) {
    const TextureDescription* found = texture_description(gpu, texObject);
    if (!found) return cudaErrorInvalidValue;
    if (pResViewDesc) *pResViewDesc = found->view.value_or(cudaResourceViewDesc{});
    return cudaSuccess;
}

}  // namespace cudash::virtual_gpu::runtime
