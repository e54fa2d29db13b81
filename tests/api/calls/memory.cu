// Registered and managed memory, advice and prefetches, limits.
#include "calls.h"

int main() {
    char* m = (char*)aligned_alloc(4096, 65536);
    int* d;
    cudaMalloc(&d, 64);
    int* mm;
    cudaMallocManaged(&mm, 8192);
    void* dp;
    unsigned fl;
    P(cudaHostRegister(nullptr, 4, 0));
    P(cudaHostRegister(m, 0, 0));
    P(cudaHostRegister(m, 4096, 0x80));
    P(cudaHostRegister(m + 1, 10, 0));
    P(cudaHostUnregister(m + 1));
    LAST();
    P(cudaHostRegister(m, 8192, cudaHostRegisterPortable));
    P(cudaHostGetFlags(&fl, m));
    V("%u", fl);
    P(cudaHostGetFlags(&fl, m + 100));
    P(cudaHostRegister(m + 4096, 8192, 0));
    P(cudaHostUnregister(m + 4096));
    P(cudaHostRegister(m + 8192, 4096, 0));
    P(cudaHostUnregister(m + 8192));
    P(cudaHostUnregister(m));
    P(cudaHostRegister(m, 4096, cudaHostRegisterReadOnly));
    P(cudaHostUnregister(m));
    P(cudaHostRegister(m, 4096, cudaHostRegisterIoMemory));
    LAST();
    P(cudaHostRegister(d, 64, 0));
    P(cudaHostRegister(mm, 4096, 0));
    P(cudaHostRegister((void*)0x10000, 4096, 0));
    P(cudaHostUnregister(nullptr));
    P(cudaHostGetFlags(&fl, m));
    P(cudaHostGetDevicePointer(&dp, m, 0));
    P(cudaHostGetDevicePointer(nullptr, m, 0));
    P(cudaHostGetFlags(nullptr, m));
    LAST();
    int* h;
    P(cudaHostAlloc(&h, 0, 0));
    V("%d", h == nullptr);
    P(cudaHostAlloc(&h, 4, cudaHostAllocWriteCombined | cudaHostAllocMapped | cudaHostAllocPortable));
    P(cudaHostGetFlags(&fl, h));
    V("%u", fl);
    P(cudaHostAlloc(&h, 4, 0));
    P(cudaHostGetFlags(&fl, h));
    V("%u", fl);
    P(cudaHostUnregister(h));
    P(cudaHostRegister(h, 4, 0));
    P(cudaFreeHost((char*)h + 1));
    P(cudaFreeHost(nullptr));
    P(cudaFreeHost(d));
    LAST();
    P(cudaMallocHost((void**)nullptr, 4));
    P(cudaHostAlloc(&h, 1ull << 60, 0));
    LAST();
    cudaMemLocation dev = {cudaMemLocationTypeDevice, 0}, host = {cudaMemLocationTypeHost, 0},
                    none = {cudaMemLocationTypeInvalid, 0}, wrong = {cudaMemLocationTypeDevice, 9};
    for (auto l : {dev, host, none, wrong})
        for (int a = 0; a < 8; ++a) {
            cudaError_t e = cudaMemAdvise(mm, 4096, (cudaMemoryAdvise)a, l);
            printf("advise %d location %d/%d -> %d\n", a, (int)l.type, l.id, (int)e);
        }
    P(cudaMemAdvise(mm, 0, cudaMemAdviseSetReadMostly, dev));
    P(cudaMemAdvise(mm, 1 << 20, cudaMemAdviseSetReadMostly, dev));
    P(cudaMemAdvise(nullptr, 4, cudaMemAdviseSetReadMostly, dev));
    P(cudaMemAdvise(m, 4096, cudaMemAdviseSetReadMostly, dev));
    P(cudaMemAdvise(d, 64, cudaMemAdviseSetReadMostly, dev));
    for (auto l : {dev, host, none, wrong}) {
        cudaError_t e = cudaMemPrefetchAsync(mm, 4096, l, 0, 0);
        printf("prefetch location %d/%d -> %d\n", (int)l.type, l.id, (int)e);
    }
    P(cudaMemPrefetchAsync(mm, 4096, dev, 1, 0));
    P(cudaMemPrefetchAsync(mm, 0, dev, 0, 0));
    P(cudaMemPrefetchAsync(mm, 1 << 20, dev, 0, 0));
    P(cudaMemPrefetchAsync(m, 4096, dev, 0, 0));
    P(cudaMemPrefetchAsync(d, 64, dev, 0, 0));
    P(cudaMemPrefetchAsync(nullptr, 4, dev, 0, 0));
    int v[8];
    P(cudaDeviceSynchronize());
    P(cudaMemAdvise(mm, 4096, cudaMemAdviseSetPreferredLocation, dev));
    P(cudaMemAdvise(mm, 4096, cudaMemAdviseSetReadMostly, dev));
    for (int a = 0; a < 12; ++a) {
        memset(v, 0x55, sizeof v);
        cudaError_t e = cudaMemRangeGetAttribute(v, a == 3 ? 8 : 4, (cudaMemRangeAttribute)a, mm, 4096);
        printf("range attribute %d -> %d value %d\n", a, (int)e, v[0]);
    }
    P(cudaMemRangeGetAttribute(v, 8, cudaMemRangeAttributeReadMostly, mm, 4096));
    P(cudaMemRangeGetAttribute(v, 3, cudaMemRangeAttributeAccessedBy, mm, 4096));
    P(cudaMemRangeGetAttribute(nullptr, 4, cudaMemRangeAttributeReadMostly, mm, 4096));
    P(cudaMemRangeGetAttribute(v, 4, cudaMemRangeAttributeReadMostly, mm, 8192));
    V("%d", v[0]);
    P(cudaMemRangeGetAttribute(v, 4, cudaMemRangeAttributeReadMostly, m, 4096));
    LAST();
    P(cudaMallocManaged(&mm, 0));
    P(cudaMallocManaged(&mm, 4, 7));
    P(cudaMallocManaged(&mm, 1ull << 60));
    P(cudaMallocManaged((void**)nullptr, 4));
    LAST();
    size_t lim;
    for (int i = 0; i < 9; ++i) {
        lim = 0;
        cudaError_t e = cudaDeviceGetLimit(&lim, (cudaLimit)i);
        printf("limit %d -> %d value %zu\n", i, (int)e, lim);
    }
    for (int i = 0; i < 8; ++i)
        for (size_t s : {(size_t)0, (size_t)1, (size_t)1000, (size_t)1 << 20, (size_t)1 << 30, (size_t)1 << 45}) {
            if (i == 2 && s > (1u << 30)) continue;
            cudaError_t e = cudaDeviceSetLimit((cudaLimit)i, s);
            lim = 0;
            cudaDeviceGetLimit(&lim, (cudaLimit)i);
            printf("set limit %d to %zu -> %d now %zu\n", i, s, (int)e, lim);
        }
    LAST();
    nop<<<1, 1>>>();
    P(cudaDeviceSynchronize());
    P(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 1 << 20));
    P(cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 1 << 21));
    P(cudaDeviceGetLimit(nullptr, cudaLimitStackSize));
    LAST();
}
