// CUDA arrays, mipmapped arrays, texture and surface objects of the virtual GPU: what the runtime keeps of each.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "runtime_wrappers/virtual_gpu/memory/image.h"
#include "runtime_wrappers/virtual_gpu/stream/timeline.h"

namespace cudash::virtual_gpu::runtime {

/// Made by cudaMallocArray and its kin, or one level of a mipmapped array.
struct Array {
    cudaChannelFormatDesc format{};
    cudaExtent extent{};  ///< as given: unused dimensions are 0, layers are the depth
    unsigned flags = 0;
    int device = 0;
    Image image;  ///< one level
    cudaMipmappedArray_t owner = nullptr;
};

struct MipmappedArray {
    cudaChannelFormatDesc format{};
    cudaExtent extent{};
    unsigned flags = 0;
    int device = 0;
    Image image;
    std::vector<cudaArray_t> levels;
};

/// What an object was made of, for cudaGetTextureObject... and cudaGetSurfaceObject...
struct TextureDescription {
    cudaResourceDesc resource{};
    cudaTextureDesc texture{};
    std::optional<cudaResourceViewDesc> view;
    int device = 0;
};
struct SurfaceDescription {
    cudaResourceDesc resource{};
    int device = 0;
};

struct Images {
    HandleTable<cudaArray_t, Array> arrays{0x5000'c000'1000};
    HandleTable<cudaMipmappedArray_t, MipmappedArray> mipmapped{0x5001'0000'1000};
    ImageTable objects;
    std::map<cudaTextureObject_t, TextureDescription> textures;
    std::map<cudaSurfaceObject_t, SurfaceDescription> surfaces;

    /// Bytes of device memory that the arrays of a device take.
    std::uint64_t used(int device) const;
    void take(int device, std::uint64_t bytes) { taken_[device] += bytes; }
    /// An array's memory goes.
    void give_back(int device, const Image& image);
    /// cudaDeviceReset.
    void release_all(int device);

private:
    std::map<int, std::uint64_t> taken_;
};

}  // namespace cudash::virtual_gpu::runtime
