#include "tests/hardware/real_images.h"

#include "runtime_wrappers/cuda/cudart.h"

namespace cudash::oracle {
namespace {

using namespace virtual_gpu;

#define CUDASH_RUNTIME(name) cuda::cudart_function<decltype(&::name)>(#name)

cudaChannelFormatDesc format_of(const TexelFormat& format) {
    const auto bits = [&](unsigned channel) { return channel < format.channels ? format.channel_bytes * 8 : 0; };
    const cudaChannelFormatKind kind = format.kind == ChannelKind::floating         ? cudaChannelFormatKindFloat
                                       : format.kind == ChannelKind::signed_integer ? cudaChannelFormatKindSigned
                                                                                    : cudaChannelFormatKindUnsigned;
    return {bits(0), bits(1), bits(2), bits(3), kind};
}

/// As the allocating functions want it: axes that the shape lacks are 0.
cudaExtent extent_of(const TestImage& image) {
    const bool flat = image.shape == ImageShape::d1 || image.shape == ImageShape::a1d;
    const bool deep = image.shape != ImageShape::d1 && image.shape != ImageShape::d2;
    return {image.width, flat ? 0 : image.height, deep ? image.depth : 0};
}
unsigned flags_of(const TestImage& image) {
    const bool layered =
        image.shape == ImageShape::a1d || image.shape == ImageShape::a2d || image.shape == ImageShape::acube;
    return (layered ? cudaArrayLayered : 0u) | (is_cube(image.shape) ? cudaArrayCubemap : 0u) |
           (image.is_surface() ? cudaArraySurfaceLoadStore : 0u) |
           (image.shape == ImageShape::d2 && !image.is_surface() && image.levels == 1 ? cudaArrayTextureGather : 0u);
}

cudaMemcpy3DParms copy_of(const TestImage& image, unsigned level, cudaArray_t array, void* texels, bool to_array) {
    const ImageLevel size = image.level(level);
    const cudaPitchedPtr host{texels, size.pitch, size.width, size.height};
    cudaMemcpy3DParms parameters{};
    (to_array ? parameters.dstArray : parameters.srcArray) = array;
    (to_array ? parameters.srcPtr : parameters.dstPtr) = host;
    parameters.extent = {size.width, size.height, size.depth};
    parameters.kind = to_array ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost;
    return parameters;
}
cudaError_t fill(const TestImage& image, unsigned level, cudaArray_t array) {
    std::vector<std::byte> texels = texels_of(image, level);
    const cudaMemcpy3DParms parameters = copy_of(image, level, array, texels.data(), true);
    return CUDASH_RUNTIME(cudaMemcpy3D)(&parameters);
}

cudaTextureDesc sampler_of(const TestImage& image) {
    cudaTextureDesc sampler{};
    for (cudaTextureAddressMode& mode : sampler.addressMode)
        mode = image.normalized ? cudaAddressModeWrap : cudaAddressModeClamp;
    sampler.filterMode = image.linear ? cudaFilterModeLinear : cudaFilterModePoint;
    sampler.readMode = image.normalized_floats ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
    sampler.normalizedCoords = image.normalized;
    sampler.maxMipmapLevelClamp = static_cast<float>(image.levels - 1);
    return sampler;
}

}  // namespace

cudaError_t RealImages::make(const TestImage& image, Made& made, std::uint64_t& handle) {
    const cudaChannelFormatDesc format = format_of(image.format);
    cudaResourceDesc resource{};
    cudaError_t error = cudaSuccess;
    if (image.levels > 1) {
        error = CUDASH_RUNTIME(cudaMallocMipmappedArray)(&made.mipmapped, &format, extent_of(image), image.levels,
                                                         flags_of(image));
        for (unsigned level = 0; error == cudaSuccess && level < image.levels; ++level) {
            cudaArray_t array = nullptr;
            error = CUDASH_RUNTIME(cudaGetMipmappedArrayLevel)(&array, made.mipmapped, level);
            if (error == cudaSuccess) error = fill(image, level, array);
        }
        resource.resType = cudaResourceTypeMipmappedArray;
        resource.res.mipmap.mipmap = made.mipmapped;
    } else {
        error = CUDASH_RUNTIME(cudaMalloc3DArray)(&made.array, &format, extent_of(image), flags_of(image));
        if (error == cudaSuccess) error = fill(image, 0, made.array);
        resource.resType = cudaResourceTypeArray;
        resource.res.array.array = made.array;
    }
    if (error != cudaSuccess) return error;
    static_assert(sizeof(cudaTextureObject_t) == sizeof handle && sizeof(cudaSurfaceObject_t) == sizeof handle);
    cudaTextureObject_t object = 0;
    if (image.is_surface()) {
        error = CUDASH_RUNTIME(cudaCreateSurfaceObject)(&object, &resource);
    } else {
        const cudaTextureDesc sampler = sampler_of(image);
        error = CUDASH_RUNTIME(cudaCreateTextureObject)(&object, &resource, &sampler, nullptr);
    }
    handle = object;
    return error;
}

cudaError_t RealImages::prepare(std::span<const std::size_t> numbers) {
    for (std::size_t number : numbers) {
        const TestImage& image = test_images()[number];
        const auto [entry, is_new] = made_.try_emplace(number);
        cudaError_t error = cudaSuccess;
        if (is_new) {
            error = make(image, entry->second, handles_[number]);
        } else if (image.is_surface()) {
            error = fill(image, 0, entry->second.array);
        }
        if (error != cudaSuccess) return error;
    }
    return cudaSuccess;
}

cudaError_t RealImages::read(std::size_t number, void* texels) const {
    const cudaMemcpy3DParms parameters = copy_of(test_images()[number], 0, made_.at(number).array, texels, false);
    return CUDASH_RUNTIME(cudaMemcpy3D)(&parameters);
}

}  // namespace cudash::oracle
