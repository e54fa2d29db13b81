// What cudaDeviceReset ends on its device and leaves on another. For two devices.
#include "calls.h"

char page[2][8192];
int *d[2], *h[2], *a[2];
cudaStream_t t[2];
cudaGraph_t g[2];
cudaGraphNode_t n;
cudaGraphExec_t x[2];
cudaMemPool_t p[2], o[2], now;
unsigned f;
size_t z;
unsigned long long w = 1 << 20;
cudaFuncCache c;
cudaFuncAttributes fa;

void make(int k) {
    cudaSetDevice(k);
    cudaMalloc(&d[k], 64);
    cudaMallocHost(&h[k], 64);
    cudaHostRegister(page[k], 8192, 0);
    cudaStreamCreate(&t[k]);
    int v = 5 + k;
    cudaMemcpyToSymbol(var, &v, 4);
    cudaDeviceSetLimit(cudaLimitStackSize, 4096);
    cudaDeviceSetCacheConfig(cudaFuncCachePreferL1);
    P(cudaSetDeviceFlags(cudaDeviceScheduleYield));
    cudaFuncSetAttribute(dyn, cudaFuncAttributeMaxDynamicSharedMemorySize, 100000);
    P(cudaDeviceEnablePeerAccess(1 - k, 0));
    cudaDeviceGetDefaultMemPool(&o[k], k);
    cudaMemPoolSetAttribute(o[k], cudaMemPoolAttrReleaseThreshold, &w);
    cudaMemPoolProps q = {};
    q.allocType = cudaMemAllocationTypePinned;
    q.location = {cudaMemLocationTypeDevice, k};
    cudaMemPoolCreate(&p[k], &q);
    cudaDeviceSetMemPool(k, p[k]);
    cudaMallocAsync(&a[k], 64, t[k]);
    cudaGraphCreate(&g[k], 0);
    cudaGraphAddEmptyNode(&n, g[k], 0, 0);
    P(cudaGraphInstantiate(&x[k], g[k], 0));
}

int main() {
    make(0);
    make(1);
    nop<<<1, 1, 0, t[0]>>>();
    LAST();
    P(cudaMemsetAsync(d[1], 0, 4, t[0]));
    P(cudaDeviceReset());
    for (int k : {0, 1}) {
        P(cudaSetDevice(k));
        cudaGetDeviceFlags(&f);
        cudaDeviceGetLimit(&z, cudaLimitStackSize);
        cudaDeviceGetCacheConfig(&c);
        int v = 9;
        P(cudaMemcpyFromSymbol(&v, var, 4));
        cudaFuncGetAttributes(&fa, dyn);
        V("%u %zu %d %d %d", f, z, c, v, fa.maxDynamicSharedSizeBytes);
        cudaDeviceGetMemPool(&now, k);
        V("%d %d", now == p[k], now == o[k]);
        P(cudaMemPoolGetAttribute(o[k], cudaMemPoolAttrReleaseThreshold, &w));
        V("%llu", w);
        P(cudaDeviceEnablePeerAccess(1 - k, 0));
        P(cudaHostRegister(page[k], 8192, 0));
        P(cudaFreeHost(h[k]));
        P(cudaFree(d[k]));
        P(cudaFree(a[k]));
        P(cudaGraphDestroy(g[k]));
        P(cudaGraphExecDestroy(x[k]));
        P(cudaMemPoolDestroy(p[k]));
        P(cudaStreamQuery(t[k]));
    }
}
