// What can be asked of arrays that are of several planes, sparse or without memory yet. The virtual GPU makes none of
// these: cudaMalloc3DArray says so. Of all others the reference says which code the question has.
#include "runtime_wrappers/virtual_gpu/runtime/array_handle.h"
#include "runtime_wrappers/virtual_gpu/runtime/bodies.h"

namespace cudash::virtual_gpu::runtime {
namespace {

/// No array at all: only cudaArrayGetPlane answers that with cudaErrorInvalidResourceHandle (recorded on an H200).
template <class Handle>
cudaError_t refuse_null(Handle handle) {
    return handle ? cudaSuccess : refuse(cudaErrorInvalidValue, "the array is null: it was never allocated");
}

cudaError_t refuse_device(Gpu& gpu, int device) {
    return gpu.has_device(device) ? cudaSuccess : refuse(cudaErrorInvalidValue, "there is no device {}", device);
}

/// "[...] cudaErrorInvalidValue will be returned": the array lacks what is asked for.
cudaError_t refuse_ordinary(const void* found, const void* out, const char* what) {
    if (!found) return cudaErrorInvalidResourceHandle;
    if (!out) return refuse(cudaErrorInvalidValue, "there is nowhere to put the answer");
    return refuse(cudaErrorInvalidValue, "the array {}", what);
}

constexpr const char* has_memory = "has its memory: it was made without cudaArrayDeferredMapping";
constexpr const char* is_dense = "is not sparse: it was made without cudaArraySparse";

}  // namespace

cudaError_t cudaArrayGetPlane(Gpu& gpu, cudaArray_t* pPlaneArray, cudaArray_t hArray, unsigned) {
    return refuse_ordinary(find_array(gpu, hArray), pPlaneArray, "has a format of one plane");
}

cudaError_t cudaArrayGetMemoryRequirements(Gpu& gpu, cudaArrayMemoryRequirements* memoryRequirements, cudaArray_t array,
                                           int device) {
    if (const cudaError_t bad = refuse_null(array); bad != cudaSuccess) return bad;
    if (const cudaError_t bad = refuse_device(gpu, device); bad != cudaSuccess) return bad;
    return refuse_ordinary(find_array(gpu, array), memoryRequirements, has_memory);
}

cudaError_t cudaMipmappedArrayGetMemoryRequirements(Gpu& gpu, cudaArrayMemoryRequirements* memoryRequirements,
                                                    cudaMipmappedArray_t mipmap, int device) {
    if (const cudaError_t bad = refuse_null(mipmap); bad != cudaSuccess) return bad;
    if (const cudaError_t bad = refuse_device(gpu, device); bad != cudaSuccess) return bad;
    return refuse_ordinary(find_mipmapped_array(gpu, mipmap), memoryRequirements, has_memory);
}

cudaError_t cudaArrayGetSparseProperties(Gpu& gpu, cudaArraySparseProperties* sparseProperties, cudaArray_t array) {
    if (const cudaError_t bad = refuse_null(array); bad != cudaSuccess) return bad;
    return refuse_ordinary(find_array(gpu, array), sparseProperties, is_dense);
}

cudaError_t cudaMipmappedArrayGetSparseProperties(Gpu& gpu, cudaArraySparseProperties* sparseProperties,
                                                  cudaMipmappedArray_t mipmap) {
    if (const cudaError_t bad = refuse_null(mipmap); bad != cudaSuccess) return bad;
    return refuse_ordinary(find_mipmapped_array(gpu, mipmap), sparseProperties, is_dense);
}

}  // namespace cudash::virtual_gpu::runtime
