// Functions of libcudart.so.12 that have other parameters than those of the same name in CUDA 13: what 13 gives the
// plain name, 12 calls NAME_v2 (exports.cpp). Part of the library for version 12 alone. Layouts are those of
// driver_types.h 12.
#include <algorithm>
#include <cstddef>
#include <cstring>

#include "runtime_wrappers/api/entry_points.h"

#define CUDASH_EXPORT extern "C" __attribute__((visibility("default")))

namespace cudash::cudart {
namespace {

namespace entry = api::entry;

struct DeviceProperties {
    char name[256];
    cudaUUID_t uuid;
    char luid[8];
    unsigned luidDeviceNodeMask;
    std::size_t totalGlobalMem, sharedMemPerBlock;
    int regsPerBlock, warpSize;
    std::size_t memPitch;
    int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3], clockRate;
    std::size_t totalConstMem;
    int major, minor;
    std::size_t textureAlignment, texturePitchAlignment;
    int deviceOverlap, multiProcessorCount, kernelExecTimeoutEnabled, integrated, canMapHostMemory, computeMode;
    int maxTexture1D, maxTexture1DMipmap, maxTexture1DLinear, maxTexture2D[2], maxTexture2DMipmap[2],
        maxTexture2DLinear[3], maxTexture2DGather[2], maxTexture3D[3], maxTexture3DAlt[3], maxTextureCubemap,
        maxTexture1DLayered[2], maxTexture2DLayered[3], maxTextureCubemapLayered[2];
    int maxSurface1D, maxSurface2D[2], maxSurface3D[3], maxSurface1DLayered[2], maxSurface2DLayered[3],
        maxSurfaceCubemap, maxSurfaceCubemapLayered[2];
    std::size_t surfaceAlignment;
    int concurrentKernels, ECCEnabled, pciBusID, pciDeviceID, pciDomainID, tccDriver, asyncEngineCount,
        unifiedAddressing, memoryClockRate, memoryBusWidth, l2CacheSize, persistingL2CacheMaxSize,
        maxThreadsPerMultiProcessor, streamPrioritiesSupported, globalL1CacheSupported, localL1CacheSupported;
    std::size_t sharedMemPerMultiprocessor;
    int regsPerMultiprocessor, managedMemory, isMultiGpuBoard, multiGpuBoardGroupID, hostNativeAtomicSupported,
        singleToDoublePrecisionPerfRatio, pageableMemoryAccess, concurrentManagedAccess, computePreemptionSupported,
        canUseHostPointerForRegisteredMem, cooperativeLaunch, cooperativeMultiDeviceLaunch;
    std::size_t sharedMemPerBlockOptin;
    int pageableMemoryAccessUsesHostPageTables, directManagedMemAccessFromHost, maxBlocksPerMultiProcessor,
        accessPolicyMaxWindowSize;
    std::size_t reservedSharedMemPerBlock;
    int hostRegisterSupported, sparseCudaArraySupported, hostRegisterReadOnlySupported,
        timelineSemaphoreInteropSupported, memoryPoolsSupported, gpuDirectRDMASupported;
    unsigned gpuDirectRDMAFlushWritesOptions, memoryPoolSupportedHandleTypes;
    int deferredMappingCudaArraySupported, ipcEventSupported, clusterLaunch, unifiedFunctionPointers, reserved[63];
};
static_assert(sizeof(DeviceProperties) == 1032, "sizeof(cudaDeviceProp) of CUDA 12");

template <class T>
void copy(T& to, const T& from) {
    std::memcpy(&to, &from, sizeof to);
}

int attribute(cudaDeviceAttr which, int device) {
    int value = 0;
    return entry::cudaDeviceGetAttribute(&value, which, device) == cudaSuccess ? value : 0;
}

/// Before version 12.2, a place was the number of a device, or cudaCpuDeviceId.
cudaMemLocation location_of(int device) {
    cudaMemLocation location{};
    location.type = device == cudaCpuDeviceId ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice;
    location.id = device == cudaCpuDeviceId ? 0 : device;
    return location;
}

}  // namespace

CUDASH_EXPORT cudaError_t cudaGetDeviceProperties_v2(DeviceProperties* to, int device) {
    cudaDeviceProp from{};
    const cudaError_t status = entry::cudaGetDeviceProperties(to ? &from : nullptr, device);
    if (status != cudaSuccess) return status;
    *to = {};
#define CUDASH_SAME(member) copy(to->member, from.member)
    CUDASH_SAME(name);
    CUDASH_SAME(uuid);
    CUDASH_SAME(luid);
    CUDASH_SAME(luidDeviceNodeMask);
    CUDASH_SAME(totalGlobalMem);
    CUDASH_SAME(sharedMemPerBlock);
    CUDASH_SAME(warpSize);
    CUDASH_SAME(memPitch);
    CUDASH_SAME(maxThreadsPerBlock);
    CUDASH_SAME(maxThreadsDim);
    CUDASH_SAME(maxGridSize);
    CUDASH_SAME(totalConstMem);
    CUDASH_SAME(major);
    CUDASH_SAME(minor);
    CUDASH_SAME(texturePitchAlignment);
    CUDASH_SAME(multiProcessorCount);
    CUDASH_SAME(integrated);
    CUDASH_SAME(canMapHostMemory);
    CUDASH_SAME(maxTexture1D);
    CUDASH_SAME(maxTexture1DMipmap);
    CUDASH_SAME(maxTexture2DMipmap);
    CUDASH_SAME(maxTexture2DLinear);
    CUDASH_SAME(maxTexture2DGather);
    CUDASH_SAME(maxTexture3D);
    CUDASH_SAME(maxTexture3DAlt);
    CUDASH_SAME(maxTexture1DLayered);
    CUDASH_SAME(maxTexture2DLayered);
    CUDASH_SAME(maxTextureCubemapLayered);
    CUDASH_SAME(maxSurface1D);
    CUDASH_SAME(maxSurface2D);
    CUDASH_SAME(maxSurface1DLayered);
    CUDASH_SAME(maxSurface2DLayered);
    CUDASH_SAME(maxSurfaceCubemap);
    CUDASH_SAME(maxSurfaceCubemapLayered);
    CUDASH_SAME(concurrentKernels);
    CUDASH_SAME(ECCEnabled);
    CUDASH_SAME(pciBusID);
    CUDASH_SAME(pciDeviceID);
    CUDASH_SAME(pciDomainID);
    CUDASH_SAME(tccDriver);
    CUDASH_SAME(unifiedAddressing);
    CUDASH_SAME(memoryBusWidth);
    CUDASH_SAME(l2CacheSize);
    CUDASH_SAME(persistingL2CacheMaxSize);
    CUDASH_SAME(streamPrioritiesSupported);
    CUDASH_SAME(globalL1CacheSupported);
    CUDASH_SAME(localL1CacheSupported);
    CUDASH_SAME(regsPerMultiprocessor);
    CUDASH_SAME(managedMemory);
    CUDASH_SAME(isMultiGpuBoard);
    CUDASH_SAME(hostNativeAtomicSupported);
    CUDASH_SAME(pageableMemoryAccess);
    CUDASH_SAME(computePreemptionSupported);
    CUDASH_SAME(canUseHostPointerForRegisteredMem);
    CUDASH_SAME(sharedMemPerBlockOptin);
    CUDASH_SAME(pageableMemoryAccessUsesHostPageTables);
    CUDASH_SAME(maxBlocksPerMultiProcessor);
    CUDASH_SAME(reservedSharedMemPerBlock);
    CUDASH_SAME(sparseCudaArraySupported);
    CUDASH_SAME(hostRegisterReadOnlySupported);
    CUDASH_SAME(memoryPoolsSupported);
    CUDASH_SAME(gpuDirectRDMASupported);
    CUDASH_SAME(memoryPoolSupportedHandleTypes);
    CUDASH_SAME(ipcEventSupported);
    CUDASH_SAME(clusterLaunch);
#undef CUDASH_SAME
    to->clockRate = attribute(cudaDevAttrClockRate, device);
    to->deviceOverlap = attribute(cudaDevAttrGpuOverlap, device);
    to->kernelExecTimeoutEnabled = attribute(cudaDevAttrKernelExecTimeout, device);
    to->computeMode = attribute(cudaDevAttrComputeMode, device);
    to->maxTexture1DLinear = to->maxTexture1D;
    to->memoryClockRate = attribute(cudaDevAttrMemoryClockRate, device);
    to->singleToDoublePrecisionPerfRatio = attribute(cudaDevAttrSingleToDoublePrecisionPerfRatio, device);
    return status;
}

CUDASH_EXPORT cudaError_t cudaMemAdvise(const void* memory, std::size_t count, cudaMemoryAdvise advice, int device) {
    return entry::cudaMemAdvise(memory, count, advice, location_of(device));
}
CUDASH_EXPORT cudaError_t cudaMemPrefetchAsync(const void* memory, std::size_t count, int device, cudaStream_t stream) {
    return entry::cudaMemPrefetchAsync(memory, count, location_of(device), 0, stream);
}
CUDASH_EXPORT cudaError_t cudaMemPrefetchAsync_ptsz(const void* memory, std::size_t count, int device,
                                                    cudaStream_t stream) {
    return entry::cudaMemPrefetchAsync_ptsz(memory, count, location_of(device), 0, stream);
}
CUDASH_EXPORT cudaError_t cudaSignalExternalSemaphoresAsync_v2(const cudaExternalSemaphore_t* semaphores,
                                                               const cudaExternalSemaphoreSignalParams* parameters,
                                                               unsigned count, cudaStream_t stream) {
    return entry::cudaSignalExternalSemaphoresAsync(semaphores, parameters, count, stream);
}
CUDASH_EXPORT cudaError_t cudaWaitExternalSemaphoresAsync_v2(const cudaExternalSemaphore_t* semaphores,
                                                             const cudaExternalSemaphoreWaitParams* parameters,
                                                             unsigned count, cudaStream_t stream) {
    return entry::cudaWaitExternalSemaphoresAsync(semaphores, parameters, count, stream);
}

// Deprecated names, which version 13 has no more.
CUDASH_EXPORT cudaError_t cudaThreadExit() {
    return entry::cudaDeviceReset();
}
CUDASH_EXPORT cudaError_t cudaThreadSynchronize() {
    return entry::cudaDeviceSynchronize();
}
CUDASH_EXPORT cudaError_t cudaThreadSetLimit(cudaLimit limit, std::size_t value) {
    return entry::cudaDeviceSetLimit(limit, value);
}
CUDASH_EXPORT cudaError_t cudaThreadGetLimit(std::size_t* value, cudaLimit limit) {
    return entry::cudaDeviceGetLimit(value, limit);
}
CUDASH_EXPORT cudaError_t cudaThreadGetCacheConfig(cudaFuncCache* config) {
    return entry::cudaDeviceGetCacheConfig(config);
}
CUDASH_EXPORT cudaError_t cudaThreadSetCacheConfig(cudaFuncCache config) {
    return entry::cudaDeviceSetCacheConfig(config);
}
/// Of devices without double precision.
CUDASH_EXPORT cudaError_t cudaSetDoubleForDevice(double*) {
    return cudaSuccess;
}
CUDASH_EXPORT cudaError_t cudaSetDoubleForHost(double*) {
    return cudaSuccess;
}

CUDASH_EXPORT cudaError_t cudaEventElapsedTime_v2(float* milliseconds, cudaEvent_t begin, cudaEvent_t end) {
    return entry::cudaEventElapsedTime(milliseconds, begin, end);
}

// Graphs: without edge data.
CUDASH_EXPORT cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                                   const cudaGraphNode_t* to, std::size_t count) {
    return entry::cudaGraphAddDependencies(graph, from, to, nullptr, count);
}
CUDASH_EXPORT cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                                      const cudaGraphNode_t* to, std::size_t count) {
    return entry::cudaGraphRemoveDependencies(graph, from, to, nullptr, count);
}
CUDASH_EXPORT cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to,
                                            std::size_t* count) {
    return entry::cudaGraphGetEdges(graph, from, to, nullptr, count);
}
CUDASH_EXPORT cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t* others,
                                                       std::size_t* count) {
    return entry::cudaGraphNodeGetDependencies(node, others, nullptr, count);
}
CUDASH_EXPORT cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t* others,
                                                         std::size_t* count) {
    return entry::cudaGraphNodeGetDependentNodes(node, others, nullptr, count);
}
CUDASH_EXPORT cudaError_t cudaGraphAddNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* before,
                                           std::size_t count, cudaGraphNodeParams* parameters) {
    return entry::cudaGraphAddNode(node, graph, before, nullptr, count, parameters);
}
CUDASH_EXPORT cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t* nodes,
                                                              std::size_t count, unsigned flags) {
    return entry::cudaStreamUpdateCaptureDependencies(stream, nodes, nullptr, count, flags);
}
CUDASH_EXPORT cudaError_t cudaStreamGetCaptureInfo_v2(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                                      unsigned long long* id, cudaGraph_t* graph,
                                                      const cudaGraphNode_t** nodes, std::size_t* count) {
    return entry::cudaStreamGetCaptureInfo(stream, status, id, graph, nodes, nullptr, count);
}
CUDASH_EXPORT cudaError_t cudaStreamGetCaptureInfo_v2_ptsz(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                                           unsigned long long* id, cudaGraph_t* graph,
                                                           const cudaGraphNode_t** nodes, std::size_t* count) {
    return entry::cudaStreamGetCaptureInfo_ptsz(stream, status, id, graph, nodes, nullptr, count);
}
CUDASH_EXPORT cudaError_t cudaStreamGetCaptureInfo_v3(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                                      unsigned long long* id, cudaGraph_t* graph,
                                                      const cudaGraphNode_t** nodes, const cudaGraphEdgeData** edges,
                                                      std::size_t* count) {
    return entry::cudaStreamGetCaptureInfo(stream, status, id, graph, nodes, edges, count);
}
CUDASH_EXPORT cudaError_t cudaStreamGetCaptureInfo_v3_ptsz(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                                           unsigned long long* id, cudaGraph_t* graph,
                                                           const cudaGraphNode_t** nodes,
                                                           const cudaGraphEdgeData** edges, std::size_t* count) {
    return entry::cudaStreamGetCaptureInfo_ptsz(stream, status, id, graph, nodes, edges, count);
}

}  // namespace cudash::cudart
