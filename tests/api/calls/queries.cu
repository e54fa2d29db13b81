// What a program can ask of the runtime itself: the last error, flags, versions, entry points; the end of a context.
#include "calls.h"

#include <cuda_profiler_api.h>

int main() {
    int n = -7;
    unsigned flags = 99;
    cudaFuncCache cache = (cudaFuncCache)9;
    P(cudaPeekAtLastError());
    P(cudaFree((void*)1));
    P(cudaPeekAtLastError());
    P(cudaPeekAtLastError());
    LAST();
    LAST();
    for (int code : {0,   1,   2,   3,   46,  98,  100, 101, 201, 209, 218,  222, 400,
                     600, 700, 701, 719, 720, 801, 802, 900, 910, 999, 5000, -1})
        printf("%d: %s: %s\n", code, cudaGetErrorName((cudaError_t)code), cudaGetErrorString((cudaError_t)code));
    P(cudaGetDeviceFlags(&flags));
    V("%u", flags);
    P(cudaSetDeviceFlags(cudaDeviceScheduleBlockingSync));
    P(cudaGetDeviceFlags(&flags));
    V("%u", flags);
    P(cudaSetDeviceFlags(cudaDeviceScheduleYield | cudaDeviceScheduleSpin));
    P(cudaDeviceGetCacheConfig(&cache));
    V("%d", (int)cache);
    P(cudaDeviceSetCacheConfig(cudaFuncCachePreferL1));
    P(cudaDeviceGetCacheConfig(&cache));
    V("%d", (int)cache);
    P(cudaDriverGetVersion(&n));
    V("%d", n >= 13000);
    P(cudaRuntimeGetVersion(&n));
    P(cudaProfilerStart());
    P(cudaProfilerStart());
    P(cudaProfilerStop());
    P(cudaProfilerStop());
    LAST();
    // The view of a texture without one.
    cudaChannelFormatDesc ints = cudaCreateChannelDesc<int>();
    cudaArray_t a;
    cudaMallocArray(&a, &ints, 16, 4);
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeArray;
    r.res.array.array = a;
    cudaTextureDesc td = {};
    cudaTextureObject_t t;
    P(cudaCreateTextureObject(&t, &r, &td, nullptr));
    cudaResourceViewDesc view;
    memset(&view, 0xff, sizeof view);
    P(cudaGetTextureObjectResourceViewDesc(&view, t));
    P(cudaGetTextureObjectResourceViewDesc(&view, 12345));
    P(cudaGetTextureObjectResourceViewDesc(nullptr, t));
    LAST();
    // The driver's functions.
    void* p = (void*)1;
    cudaDriverEntryPointQueryResult found = (cudaDriverEntryPointQueryResult)9;
    P(cudaGetDriverEntryPoint("cuNoSuchFunction", &p, cudaEnableDefault, &found));
    V("%d %d", p == nullptr, (int)found);
    P(cudaGetDriverEntryPoint(nullptr, &p, cudaEnableDefault, &found));
    P(cudaGetDriverEntryPoint("cuMemAlloc", nullptr, cudaEnableDefault, &found));
    P(cudaGetDriverEntryPointByVersion("cuNoSuchFunction", &p, 12000, cudaEnableDefault, &found));
    P(cudaGetDriverEntryPointByVersion("cuMemAlloc", &p, 1, cudaEnableDefault, &found));
    LAST();
    // Null pointers.
    P(cudaGetDeviceFlags(nullptr));
    P(cudaDeviceGetCacheConfig(nullptr));
    P(cudaDriverGetVersion(nullptr));
    P(cudaRuntimeGetVersion(nullptr));
    LAST();
    // A context that ends: what it held is gone, and a new one begins.
    int* d = nullptr;
    int one = 1;
    cudaStream_t s;
    P(cudaMalloc(&d, 64));
    P(cudaStreamCreate(&s));
    P(cudaMemcpyToSymbol(var, &one, 4));
    P(cudaDeviceReset());
    P(cudaDeviceReset());
    int back = 9;
    P(cudaMemcpyFromSymbol(&back, var, 4));
    V("%d", back);
    P(cudaGetDeviceFlags(&flags));
    V("%u", flags);
    P(cudaDeviceGetCacheConfig(&cache));
    V("%d", (int)cache);
    P(cudaFree(d));
    LAST();
    nop<<<1, 1>>>();
    P(cudaDeviceSynchronize());
    // And one that ends after a kernel's fault.
    bad<<<1, 1>>>(nullptr);
    P(cudaDeviceSynchronize());
    P(cudaPeekAtLastError());
    P(cudaMalloc(&d, 64));
    P(cudaGetDeviceFlags(&flags));
    P(cudaGetDeviceCount(&n));
    P(cudaDriverGetVersion(&n));
    P(cudaDeviceReset());
    P(cudaGetDeviceCount(&n));
    P(cudaMalloc(&d, 64));
    P(cudaDeviceReset());
    LAST();
}
