// Attributes, properties and limits of the device, and of kernels.
#include "cases.h"

#include <string>

/// Not what tells one machine from another.
CASE(attributes) {
    for (int a = 1; a <= 160; ++a) {
        if (a == cudaDevAttrPciBusId || a == cudaDevAttrPciDeviceId || a == cudaDevAttrPciDomainId ||
            a == cudaDevAttrGpuPciDeviceId || a == cudaDevAttrGpuPciSubsystemId || a == cudaDevAttrHostNumaId)
            continue;
        int value = -77;
        const cudaError_t error = cudaDeviceGetAttribute(&value, static_cast<cudaDeviceAttr>(a), 0);
        if (error == cudaSuccess)
            printf("attribute %d: %d\n", a, value);
        else
            printf("attribute %d: %s\n", a, cudaGetErrorName(error));
        cudaGetLastError();
    }
}
#define FIELD(name) printf("property " #name ": %lld\n", static_cast<long long>(p.name))
CASE(properties) {
    cudaDeviceProp p{};
    if (!succeeded(cudaGetDeviceProperties(&p, 0))) return;
    show_text("name", p.name);
    FIELD(luidDeviceNodeMask);
    FIELD(totalGlobalMem);
    FIELD(sharedMemPerBlock);
    FIELD(regsPerBlock);
    FIELD(warpSize);
    FIELD(memPitch);
    FIELD(maxThreadsPerBlock);
    FIELD(totalConstMem);
    FIELD(textureAlignment);
    FIELD(texturePitchAlignment);
    FIELD(multiProcessorCount);
    FIELD(integrated);
    FIELD(canMapHostMemory);
    FIELD(maxTexture1D);
    FIELD(maxTexture1DMipmap);
    FIELD(surfaceAlignment);
    FIELD(concurrentKernels);
    FIELD(ECCEnabled);
    FIELD(tccDriver);
    FIELD(asyncEngineCount);
    FIELD(unifiedAddressing);
    FIELD(memoryBusWidth);
    FIELD(l2CacheSize);
    FIELD(persistingL2CacheMaxSize);
    FIELD(maxThreadsPerMultiProcessor);
    FIELD(streamPrioritiesSupported);
    FIELD(globalL1CacheSupported);
    FIELD(localL1CacheSupported);
    FIELD(sharedMemPerMultiprocessor);
    FIELD(regsPerMultiprocessor);
    FIELD(managedMemory);
    FIELD(isMultiGpuBoard);
    FIELD(multiGpuBoardGroupID);
    FIELD(hostNativeAtomicSupported);
    FIELD(pageableMemoryAccess);
    FIELD(concurrentManagedAccess);
    FIELD(computePreemptionSupported);
    FIELD(canUseHostPointerForRegisteredMem);
    FIELD(cooperativeLaunch);
    FIELD(sharedMemPerBlockOptin);
    FIELD(pageableMemoryAccessUsesHostPageTables);
    FIELD(directManagedMemAccessFromHost);
    FIELD(maxBlocksPerMultiProcessor);
    FIELD(accessPolicyMaxWindowSize);
    FIELD(reservedSharedMemPerBlock);
    FIELD(hostRegisterSupported);
    FIELD(sparseCudaArraySupported);
    FIELD(hostRegisterReadOnlySupported);
    FIELD(timelineSemaphoreInteropSupported);
    FIELD(memoryPoolsSupported);
    FIELD(gpuDirectRDMASupported);
    FIELD(gpuDirectRDMAFlushWritesOptions);
    FIELD(gpuDirectRDMAWritesOrdering);
    FIELD(memoryPoolSupportedHandleTypes);
    FIELD(deferredMappingCudaArraySupported);
    FIELD(ipcEventSupported);
    FIELD(clusterLaunch);
    FIELD(unifiedFunctionPointers);
    FIELD(deviceNumaConfig);
    FIELD(deviceNumaId);
    FIELD(mpsEnabled);
    FIELD(hostNumaMultinodeIpcSupported);
    for (int i = 0; i < 56; ++i)
        if (p.reserved[i] != 0) printf("property reserved[%d]: %d\n", i, p.reserved[i]);
}

__global__ void plain(int* p, char c, double d) { *p = c + static_cast<int>(d); }
__global__ void with_array(int* p) {
    int values[100];
    for (int i = 0; i < 100; ++i) values[i] = p[i];
    for (int i = 0; i < 100; ++i) p[i] = values[p[i] % 100];
}
__global__ void with_byte(int* p) {
    volatile char c[1];
    c[0] = *p;
    *p = c[0];
}
struct Large {
    int values[9];
    char last;
};
__global__ void with_struct(Large a, short s, Large b) {}
__global__ void with_nothing() {}
__global__ void with_shared(int* p) {
    __shared__ int s[100];
    s[threadIdx.x] = *p;
    __syncthreads();
    *p = s[99 - threadIdx.x];
}
template <class Kernel>
void tell_function(const char* what, Kernel* kernel) {
    cudaFuncAttributes a{};
    if (!succeeded(cudaFuncGetAttributes(&a, kernel))) return;
    printf("%s %s: local %zu shared %zu constant %zu threads %d dynamic %d carveout %d cluster %d %d %d %d %d\n", current_case,
           what, a.localSizeBytes, a.sharedSizeBytes, a.constSizeBytes, a.maxThreadsPerBlock, a.maxDynamicSharedSizeBytes,
           a.preferredShmemCarveout, a.clusterDimMustBeSet, a.requiredClusterWidth, a.requiredClusterHeight, a.requiredClusterDepth,
           a.nonPortableClusterSizeAllowed);
    for (size_t i = 0; i < 5; ++i) {
        size_t offset = 77, size = 77;
        const cudaError_t error = cudaFuncGetParamInfo(reinterpret_cast<const void*>(kernel), i, &offset, &size);
        printf("%s %s parameter %zu: %s %zu %zu last %s\n", current_case, what, i, cudaGetErrorName(error), offset, size,
               cudaGetErrorName(cudaGetLastError()));
    }
}
CASE(functions) {
    tell_function("plain", plain);
    tell_function("with_array", with_array);
    tell_function("with_byte", with_byte);
    tell_function("with_struct", with_struct);
    tell_function("with_nothing", with_nothing);
    tell_function("with_shared", with_shared);
}

CASE(limits) {
    const cudaLimit limits[] = {cudaLimitStackSize, cudaLimitPrintfFifoSize, cudaLimitMallocHeapSize, cudaLimitDevRuntimePendingLaunchCount, cudaLimitMaxL2FetchGranularity, cudaLimitPersistingL2CacheSize};
    for (const cudaLimit limit : limits) {
        size_t value = 0;
        cudaDeviceGetLimit(&value, limit);
        printf("limits %d: %zu\n", limit, value);
        for (const size_t wished : {0ul, 1ul, 17ul, 100ul, 1000ul, 1025ul, 5000ul, 65537ul, 100000ul, 1000000ul, 1048577ul, 2000000ul, 5000000ul, 10000000ul, 33333333ul, 39321600ul, 100000001ul}) {
            const cudaError_t error = cudaDeviceSetLimit(limit, wished);
            cudaDeviceGetLimit(&value, limit);
            printf("limits %d %zu: %s %zu\n", limit, wished, cudaGetErrorName(error), value);
            cudaGetLastError();
        }
    }
}
