// Surface objects: arrays made with cudaArraySurfaceLoadStore, as kernels read and write them.
#include "runtime_wrappers/virtual_gpu/runtime/bodies.h"
#include "runtime_wrappers/virtual_gpu/runtime/resource.h"

namespace cudash::virtual_gpu::runtime {
namespace {

const SurfaceDescription* surface_description(Gpu& gpu, cudaSurfaceObject_t handle) {
    return description(gpu.images.surfaces, handle, "surface");
}

}  // namespace

cudaError_t cudaCreateSurfaceObject(Gpu& gpu, cudaSurfaceObject_t* pSurfObject, const cudaResourceDesc* pResDesc) {
    if (!pSurfObject || !pResDesc)
        return refuse(cudaErrorInvalidValue, "{} is null", pSurfObject ? "pResDesc" : "pSurfObject");
    if (pResDesc->resType == cudaResourceTypeLinear)
        return refuse_with_hint(cudaErrorInvalidChannelDescriptor, "a surface is not made of linear memory",
                                "copy it into a CUDA array, or let the kernel use the pointer");
    if (pResDesc->resType != cudaResourceTypeArray)
        return refuse_with_hint(cudaErrorInvalidValue, "a surface is made of a CUDA array",
                                "set resType to cudaResourceTypeArray; of a mipmapped array take one level");
    ImageObject object{.kind = ImageObject::Kind::surface, .image = {}, .sampler = {}, .origin = gpu.memory.origin()};
    // cudaArraySurfaceLoadStore is asked for in the reference; an array without it is accepted too.
    cudaExtent extent;
    if (const cudaError_t bad = read_array_resource(gpu, *pResDesc, object.image, extent); bad != cudaSuccess)
        return bad;
    *pSurfObject = gpu.images.objects.add(std::move(object));
    gpu.images.surfaces.emplace(*pSurfObject, SurfaceDescription{.resource = *pResDesc, .device = gpu.current()});
    return cudaSuccess;
}

cudaError_t cudaDestroySurfaceObject(Gpu& gpu, cudaSurfaceObject_t surfObject) {
    return destroy(gpu, gpu.images.surfaces, surfObject, ImageObject::Kind::surface);
}

cudaError_t cudaGetSurfaceObjectResourceDesc(Gpu& gpu, cudaResourceDesc* pResDesc, cudaSurfaceObject_t surfObject) {
    return give_resource(surface_description(gpu, surfObject), pResDesc);
}

}  // namespace cudash::virtual_gpu::runtime
