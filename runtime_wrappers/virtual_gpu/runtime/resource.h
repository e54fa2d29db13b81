// cudaResourceDesc: what texture and surface objects have in common.
#pragma once

#include "runtime_wrappers/virtual_gpu/runtime/array_handle.h"

namespace cudash::virtual_gpu::runtime {

/// The image of an array or mipmapped array, and its extent as it was given.
cudaError_t read_array_resource(Gpu& gpu, const cudaResourceDesc& resource, Image& image, cudaExtent& extent);

/// What the object `handle` was made of, from Images::textures or surfaces; nullptr after saying why.
template <class Description>
const Description* description(std::map<unsigned long long, Description>& all, unsigned long long handle,
                               const char* what) {
    const auto found = all.find(handle);
    if (found != all.end()) return &found->second;
    refuse(cudaErrorInvalidValue, "{} is not a {} object, or was destroyed", handle, what);
    return nullptr;
}

/// A number that is not an object, 0 among them, is accepted and nothing is destroyed (measured on an H200).
template <class Description>
cudaError_t destroy(Gpu& gpu, std::map<unsigned long long, Description>& all, unsigned long long handle,
                    ImageObject::Kind kind) {
    const auto found = all.find(handle);
    if (found == all.end()) return cudaSuccess;
    // Kernels that were launched before read it; the host does not wait for them.
    if (const cudaError_t status = gpu.scheduler.run_all(found->second.device); status != cudaSuccess) return status;
    all.erase(found);
    gpu.images.objects.remove(handle, kind);
    return cudaSuccess;
}

template <class Description>
cudaError_t give_resource(const Description* found, cudaResourceDesc* resource) {
    if (!found || !resource) return cudaErrorInvalidValue;
    *resource = found->resource;
    return cudaSuccess;
}

}  // namespace cudash::virtual_gpu::runtime
