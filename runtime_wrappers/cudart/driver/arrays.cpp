// Arrays and texture objects of the driver API: its descriptions become those of the runtime.
#include "runtime_wrappers/cudart/driver/driver.h"

#include <algorithm>
#include <iterator>
#include <optional>

using namespace cudash::cudart::driver;

namespace {

struct FormatRow {
    CUarray_format format;
    int bits;
    cudaChannelFormatKind kind;
};
constexpr FormatRow formats[] = {
    {CU_AD_FORMAT_UNSIGNED_INT8, 8, cudaChannelFormatKindUnsigned},
    {CU_AD_FORMAT_UNSIGNED_INT16, 16, cudaChannelFormatKindUnsigned},
    {CU_AD_FORMAT_UNSIGNED_INT32, 32, cudaChannelFormatKindUnsigned},
    {CU_AD_FORMAT_SIGNED_INT8, 8, cudaChannelFormatKindSigned},
    {CU_AD_FORMAT_SIGNED_INT16, 16, cudaChannelFormatKindSigned},
    {CU_AD_FORMAT_SIGNED_INT32, 32, cudaChannelFormatKindSigned},
    {CU_AD_FORMAT_HALF, 16, cudaChannelFormatKindFloat},
    {CU_AD_FORMAT_FLOAT, 32, cudaChannelFormatKindFloat},
};

std::optional<cudaChannelFormatDesc> channels_of(CUarray_format format, unsigned channels) {
    const auto* const row = std::ranges::find(formats, format, &FormatRow::format);
    if (row == std::end(formats) || (channels != 1 && channels != 2 && channels != 4)) return std::nullopt;
    const auto bits = [&](unsigned channel) { return channel < channels ? row->bits : 0; };
    return cudaChannelFormatDesc{bits(0), bits(1), bits(2), bits(3), row->kind};
}

/// One side of a copy, as the runtime has it: memory from its first byte on, or a place in an array.
struct Side {
    cudaArray_t array = nullptr;
    cudaPos position{};
    cudaPitchedPtr memory{};
    std::size_t element = 1;  ///< bytes, of an array
};

std::optional<Side> side_of(CUmemorytype type, const void* host, CUdeviceptr device, CUarray array, std::size_t x,
                            std::size_t y, std::size_t pitch, std::size_t width) {
    Side side;
    if (type == CU_MEMORYTYPE_ARRAY) {
        cudaChannelFormatDesc channels{};
        side.array = reinterpret_cast<cudaArray_t>(array);
        if (cudaArrayGetInfo(&channels, nullptr, nullptr, side.array) != cudaSuccess) return std::nullopt;
        side.element = static_cast<std::size_t>(channels.x + channels.y + channels.z + channels.w) / 8;
        side.position = {x / side.element, y, 0};
        return side;
    }
    if (type != CU_MEMORYTYPE_HOST && type != CU_MEMORYTYPE_DEVICE && type != CU_MEMORYTYPE_UNIFIED)
        return std::nullopt;
    auto* const bytes =
        type == CU_MEMORYTYPE_HOST ? static_cast<char*>(const_cast<void*>(host)) : pointer<char>(device);
    pitch = std::max(pitch, width);
    side.memory = {bytes + y * pitch + x, pitch, width, 0};
    return side;
}

CUresult copy_2d(const CUDA_MEMCPY2D* copy) {
    if (!copy) return CUDA_ERROR_INVALID_VALUE;
    const auto from = side_of(copy->srcMemoryType, copy->srcHost, copy->srcDevice, copy->srcArray, copy->srcXInBytes,
                              copy->srcY, copy->srcPitch, copy->WidthInBytes);
    const auto to = side_of(copy->dstMemoryType, copy->dstHost, copy->dstDevice, copy->dstArray, copy->dstXInBytes,
                            copy->dstY, copy->dstPitch, copy->WidthInBytes);
    if (!from || !to) return CUDA_ERROR_INVALID_VALUE;
    cudaMemcpy3DParms parameters{};
    parameters.srcArray = from->array, parameters.srcPos = from->position, parameters.srcPtr = from->memory;
    parameters.dstArray = to->array, parameters.dstPos = to->position, parameters.dstPtr = to->memory;
    // Widths count the elements of an array that takes part.
    const std::size_t element = std::max(from->element, to->element);
    parameters.extent = {copy->WidthInBytes / element, copy->Height, 1};
    parameters.srcPtr.ysize = parameters.dstPtr.ysize = copy->Height;
    parameters.kind = cudaMemcpyDefault;
    return in_context([&] { return cudaMemcpy3D(&parameters); });
}

CUresult resource_of(const CUDA_RESOURCE_DESC& given, cudaResourceDesc& resource) {
    std::optional<cudaChannelFormatDesc> channels;
    switch (given.resType) {
        case CU_RESOURCE_TYPE_ARRAY:
            resource.resType = cudaResourceTypeArray;
            resource.res.array.array = reinterpret_cast<cudaArray_t>(given.res.array.hArray);
            return CUDA_SUCCESS;
        case CU_RESOURCE_TYPE_LINEAR:
            channels = channels_of(given.res.linear.format, given.res.linear.numChannels);
            if (!channels) return CUDA_ERROR_INVALID_VALUE;
            resource.resType = cudaResourceTypeLinear;
            resource.res.linear = {pointer<void>(given.res.linear.devPtr), *channels, given.res.linear.sizeInBytes};
            return CUDA_SUCCESS;
        case CU_RESOURCE_TYPE_PITCH2D:
            channels = channels_of(given.res.pitch2D.format, given.res.pitch2D.numChannels);
            if (!channels) return CUDA_ERROR_INVALID_VALUE;
            resource.resType = cudaResourceTypePitch2D;
            resource.res.pitch2D = {pointer<void>(given.res.pitch2D.devPtr), *channels, given.res.pitch2D.width,
                                    given.res.pitch2D.height, given.res.pitch2D.pitchInBytes};
            return CUDA_SUCCESS;
        default:
            return CUDA_ERROR_NOT_SUPPORTED;
    }
}

/// Integers are read as fractions where the flag for that is missing; floating-point numbers as they are.
bool reads_fractions(const cudaResourceDesc& resource, unsigned flags) {
    cudaChannelFormatDesc channels{};
    if (resource.resType == cudaResourceTypeArray)
        (void)cudaArrayGetInfo(&channels, nullptr, nullptr, resource.res.array.array);
    else
        channels = resource.resType == cudaResourceTypeLinear ? resource.res.linear.desc : resource.res.pitch2D.desc;
    return !(flags & CU_TRSF_READ_AS_INTEGER) && channels.f != cudaChannelFormatKindFloat && channels.x < 32;
}

}  // namespace

CUDASH_EXPORT CUresult cuArrayCreate(CUarray* array, const CUDA_ARRAY_DESCRIPTOR* description) {
    if (!array || !description) return CUDA_ERROR_INVALID_VALUE;
    const auto channels = channels_of(description->Format, description->NumChannels);
    if (!channels) return CUDA_ERROR_INVALID_VALUE;
    return in_context([&] {
        return cudaMallocArray(reinterpret_cast<cudaArray_t*>(array), &*channels, description->Width,
                               description->Height);
    });
}
CUDASH_EXPORT CUresult cuArrayDestroy(CUarray array) {
    return in_context([&] { return cudaFreeArray(reinterpret_cast<cudaArray_t>(array)); });
}
CUDASH_EXPORT CUresult cuMemcpy2D(const CUDA_MEMCPY2D* copy) {
    return copy_2d(copy);
}
CUDASH_EXPORT CUresult cuMemcpy2DUnaligned(const CUDA_MEMCPY2D* copy) {
    return copy_2d(copy);
}
CUDASH_EXPORT CUresult cuTexObjectCreate(CUtexObject* object, const CUDA_RESOURCE_DESC* given,
                                         const CUDA_TEXTURE_DESC* texture, const CUDA_RESOURCE_VIEW_DESC* view) {
    if (!object || !given || !texture) return CUDA_ERROR_INVALID_VALUE;
    if (view) return CUDA_ERROR_NOT_SUPPORTED;
    cudaResourceDesc resource{};
    if (const CUresult bad = resource_of(*given, resource); bad != CUDA_SUCCESS) return bad;
    // Modes of addresses and of filters have the same numbers.
    cudaTextureDesc same{};
    for (int i = 0; i < 3; ++i) same.addressMode[i] = static_cast<cudaTextureAddressMode>(texture->addressMode[i]);
    same.filterMode = static_cast<cudaTextureFilterMode>(texture->filterMode);
    same.readMode = reads_fractions(resource, texture->flags) ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
    same.normalizedCoords = (texture->flags & CU_TRSF_NORMALIZED_COORDINATES) != 0;
    same.sRGB = (texture->flags & CU_TRSF_SRGB) != 0;
    same.maxAnisotropy = texture->maxAnisotropy;
    std::copy_n(texture->borderColor, 4, same.borderColor);
    return in_context([&] { return cudaCreateTextureObject(object, &resource, &same, nullptr); });
}
CUDASH_EXPORT CUresult cuTexObjectDestroy(CUtexObject object) {
    return in_context([&] { return cudaDestroyTextureObject(object); });
}
