// Surface objects: arrays made with cudaArraySurfaceLoadStore, as kernels read and write them.
#include "runtime_wrappers/virtual_gpu/runtime/bodies.h"
#include "runtime_wrappers/virtual_gpu/runtime/resource.h"

namespace cudash::virtual_gpu::runtime {
namespace {

const SurfaceDescription* description(Gpu& gpu, cudaSurfaceObject_t handle) {
    const auto found = gpu.images.surfaces.find(handle);
    if (found != gpu.images.surfaces.end()) return &found->second;
    gpu.refuse(cudaErrorInvalidValue, "{} is not a surface object, or was destroyed", handle);
    return nullptr;
}

}  // namespace

cudaError_t cudaCreateSurfaceObject(Gpu& gpu, cudaSurfaceObject_t* pSurfObject, const cudaResourceDesc* pResDesc) {
    if (!pSurfObject || !pResDesc)
        return gpu.refuse(cudaErrorInvalidValue, "{} is null", pSurfObject ? "pResDesc" : "pSurfObject");
    if (pResDesc->resType != cudaResourceTypeArray)
        return gpu.refuse_with_hint(cudaErrorInvalidValue, "a surface is made of a CUDA array",
                                    "set resType to cudaResourceTypeArray; of a mipmapped array take one level");
    ImageObject object{.kind = ImageObject::Kind::surface, .image = {}, .sampler = {}, .origin = gpu.origin()};
    // cudaArraySurfaceLoadStore is asked for in the reference; an array without it is accepted too.
    cudaExtent extent;
    if (const cudaError_t bad = read_array_resource(gpu, *pResDesc, object.image, extent); bad != cudaSuccess)
        return bad;
    *pSurfObject = gpu.images.objects.add(std::move(object));
    gpu.images.surfaces.emplace(*pSurfObject, SurfaceDescription{.resource = *pResDesc, .device = gpu.current()});
    return cudaSuccess;
}

cudaError_t cudaDestroySurfaceObject(Gpu& gpu, cudaSurfaceObject_t surfObject) {
    const auto* found = description(gpu, surfObject);
    // A number that is no surface object, 0 among them, is accepted and nothing is destroyed.
    if (!found) return cudaSuccess;
    // Kernels that were launched before read it; the host does not wait for them.
    if (const cudaError_t status = gpu.run_all(found->device); status != cudaSuccess) return status;
    gpu.images.surfaces.erase(surfObject);
    gpu.images.objects.remove(surfObject, ImageObject::Kind::surface);
    return cudaSuccess;
}

cudaError_t cudaGetSurfaceObjectResourceDesc(Gpu& gpu, cudaResourceDesc* pResDesc, cudaSurfaceObject_t surfObject) {
    const SurfaceDescription* found = description(gpu, surfObject);
    if (!found || !pResDesc) return cudaErrorInvalidValue;
    *pResDesc = found->resource;
    return cudaSuccess;
}

}  // namespace cudash::virtual_gpu::runtime
