// Pointers of every wrong kind, sizes of 0 and huge ones, enumerators that there are not.
#include "calls.h"

struct Named {
    const char* name;
    void* pointer;
};

static const char* line(const char* call, const char* with) {
    static char text[4][200];
    static int next = 0;
    char* to = text[next++ % 4];
    snprintf(to, 200, "%s of %s", call, with);
    return to;
}
#define WITH(which, ...) guarded(line(#__VA_ARGS__, which), [&]() -> cudaError_t { return __VA_ARGS__; })

int main() {
    char *d, *freed, *pinned, *managed, *pooled, *registered = (char*)aligned_alloc(4096, 8192);
    char* host = (char*)aligned_alloc(4096, 8192);
    cudaMalloc(&d, 4096);
    cudaMallocHost(&pinned, 4096);
    cudaMallocManaged(&managed, 4096);
    cudaMallocAsync(&pooled, 4096, 0);
    cudaMalloc(&freed, 1 << 20);
    cudaFree(freed);
    cudaHostRegister(registered, 4096, 0);
    void* symbol = nullptr;
    cudaGetSymbolAddress(&symbol, var);
    cudaDeviceSynchronize();
    char back[64] = {};
    unsigned flags;
    void* out;
    int value[4];
    cudaPointerAttributes attributes;
    cudaMemLocation here = {cudaMemLocationTypeDevice, 0};
    const Named all[] = {{"null", nullptr},
                         {"one", (void*)1},
                         {"host", host},
                         {"pinned", pinned},
                         {"inside pinned", pinned + 8},
                         {"managed", managed},
                         {"inside managed", managed + 8},
                         {"registered", registered},
                         {"inside", d + 8},
                         {"beyond", d + (1 << 30)},
                         {"freed", freed},
                         {"symbol", symbol}};
    for (const Named& each : all) {
        void* p = each.pointer;
        WITH(each.name, cudaMemset(p, 0, 0));
        WITH(each.name, cudaMemset2D(p, 16, 0, 32, 2));
        WITH(each.name, cudaMemset2D(p, 0, 0, 4, 1));
        WITH(each.name, cudaMemcpy(p, back, 0, cudaMemcpyHostToDevice));
        WITH(each.name, cudaMemcpy(p, back, 4, (cudaMemcpyKind)-1));
        WITH(each.name, cudaMemcpy(p, back, 4, (cudaMemcpyKind)5));
        WITH(each.name, cudaMemcpyPeer(p, 0, d, 99, 4));
        WITH(each.name, cudaPointerGetAttributes(&attributes, p));
        WITH(each.name, cudaHostGetDevicePointer(&out, p, 0));
        WITH(each.name, cudaHostGetDevicePointer(&out, p, 1));
        WITH(each.name, cudaHostGetFlags(&flags, p));
        WITH(each.name, cudaMemPrefetchAsync(p, 4, here, 0, 0));
        WITH(each.name, cudaMemAdvise(p, 4, cudaMemAdviseSetReadMostly, here));
        WITH(each.name, cudaMemRangeGetAttribute(value, 4, cudaMemRangeAttributeReadMostly, p, 4));
        WITH(each.name, cudaStreamAttachMemAsync(0, p, 0, cudaMemAttachGlobal));
        WITH(each.name, cudaGetSymbolAddress(&out, p));
        WITH(each.name, cudaMemcpyToSymbol(p, back, 4));
        LAST();
    }
    // What frees: not the pointers that are right for it.
    for (const Named& each : all) {
        void* p = each.pointer;
        if (p != managed) WITH(each.name, cudaFree(p));
        if (p != pinned) WITH(each.name, cudaFreeHost(p));
        WITH(each.name, cudaFreeAsync(p, 0));
        if (p != registered) WITH(each.name, cudaHostUnregister(p));
        LAST();
    }
    P(cudaFreeAsync(pooled, 0));
    P(cudaFreeAsync(pooled, 0));
    P(cudaDeviceSynchronize());
    P(cudaFree(pooled));
    LAST();
    // Sizes.
    void* p = nullptr;
    size_t pitch = 0;
    cudaPitchedPtr pitched;
    for (size_t n : {(size_t)0, (size_t)1 << 50, SIZE_MAX / 2, SIZE_MAX}) {
        char with[40];
        snprintf(with, sizeof with, "%zx", n);
        WITH(with, cudaMalloc(&p, n));
        WITH(with, cudaMallocPitch(&p, &pitch, n, 2));
        WITH(with, cudaMallocPitch(&p, &pitch, 4, n));
        WITH(with, cudaMalloc3D(&pitched, {n, 2, 2}));
        WITH(with, cudaMalloc3D(&pitched, {4, 2, n}));
        WITH(with, cudaMallocHost(&p, n));
        WITH(with, cudaHostAlloc(&p, n, cudaHostAllocMapped));
        WITH(with, cudaMallocManaged(&p, n));
        WITH(with, cudaMallocAsync(&p, n, 0));
        WITH(with, cudaHostRegister(host, n, 0));
        WITH(with, cudaMemcpy2D(d, n, back, 8, 4, 2, cudaMemcpyHostToDevice));
        WITH(with, cudaMemcpy2D(d, 8, back, 8, n, 2, cudaMemcpyHostToDevice));
        WITH(with, cudaMemcpy2D(d, 8, back, 8, 4, n, cudaMemcpyHostToDevice));
        LAST();
    }
    // Enumerators and flags.
    cudaStream_t s;
    cudaEvent_t e;
    cudaGraph_t g;
    cudaGraphExec_t x;
    cudaGraphCreate(&g, 0);
    for (int k : {-1, 7, 99, 0x7fffffff}) {
        char with[40];
        snprintf(with, sizeof with, "%d", k);
        int i;
        WITH(with, cudaSetDevice(k));
        WITH(with, cudaSetDeviceFlags((unsigned)k));
        WITH(with, cudaInitDevice(k, 0, 0));
        WITH(with, cudaInitDevice(0, (unsigned)k, 1));
        WITH(with, cudaDeviceGetAttribute(&i, (cudaDeviceAttr)(k * 1000), 0));
        WITH(with, cudaDeviceGetAttribute(&i, cudaDevAttrWarpSize, k));
        WITH(with, cudaDeviceGetP2PAttribute(&i, (cudaDeviceP2PAttr)k, 0, 0));
        WITH(with, cudaDeviceCanAccessPeer(&i, 0, k));
        WITH(with, cudaDeviceEnablePeerAccess(k, 0));
        WITH(with, cudaDeviceDisablePeerAccess(k));
        WITH(with, cudaDeviceSetCacheConfig((cudaFuncCache)k));
        WITH(with, cudaDeviceSetSharedMemConfig((cudaSharedMemConfig)k));
        WITH(with, cudaFuncSetCacheConfig(nop, (cudaFuncCache)k));
        WITH(with, cudaFuncSetAttribute(nop, (cudaFuncAttribute)k, 0));
        WITH(with, cudaFuncSetAttribute(nop, cudaFuncAttributePreferredSharedMemoryCarveout, k));
        WITH(with, cudaStreamCreateWithFlags(&s, (unsigned)k));
        WITH(with, cudaEventCreateWithFlags(&e, (unsigned)k));
        WITH(with, cudaStreamBeginCapture(cudaStreamPerThread, (cudaStreamCaptureMode)k));
        WITH(with, cudaStreamEndCapture(cudaStreamPerThread, &g));
        WITH(with, cudaGraphCreate(&g, (unsigned)k));
        WITH(with, cudaGraphInstantiate(&x, g, (unsigned long long)k));
        WITH(with, cudaHostAlloc(&p, 4, (unsigned)k));
        WITH(with, cudaMallocManaged(&p, 4, (unsigned)k));
        WITH(with, cudaStreamWaitEvent(0, nullptr, (unsigned)k));
        cudaStreamAttrValue sv = {};
        WITH(with, cudaStreamSetAttribute(0, (cudaLaunchAttributeID)k, &sv));
        WITH(with, cudaStreamGetAttribute(0, (cudaLaunchAttributeID)k, &sv));
        cudaMemAccessFlags access;
        cudaMemLocation place = {(cudaMemLocationType)k, k};
        cudaMemPool_t pool;
        cudaDeviceGetDefaultMemPool(&pool, 0);
        WITH(with, cudaMemPoolGetAccess(&access, pool, &place));
        WITH(with, cudaMemGetDefaultMemPool(&pool, &place, cudaMemAllocationTypePinned));
        WITH(with, cudaMemAdvise(managed, 4, cudaMemAdviseSetReadMostly, place));
        WITH(with, cudaMemPrefetchAsync(managed, 4, place, 0, 0));
        WITH(with, cudaMemRangeGetAttribute(value, 4, (cudaMemRangeAttribute)(k + 100), managed, 4));
        LAST();
    }
    // Textures, surfaces and arrays.
    cudaChannelFormatDesc ints = cudaCreateChannelDesc<int>(), odd = {32, 32, 32, 0, cudaChannelFormatKindFloat},
                          bits = {5, 6, 5, 0, cudaChannelFormatKindUnsigned},
                          none = {0, 0, 0, 0, cudaChannelFormatKindNone},
                          kind = {32, 0, 0, 0, (cudaChannelFormatKind)99};
    cudaArray_t a, plain;
    P(cudaMallocArray(&a, &odd, 4));
    P(cudaMallocArray(&a, &bits, 4));
    P(cudaMallocArray(&a, &none, 4));
    P(cudaMallocArray(&a, &kind, 4));
    P(cudaMallocArray(&a, nullptr, 4));
    P(cudaMallocArray(nullptr, &ints, 4));
    P(cudaMallocArray(&a, &ints, 0));
    P(cudaMallocArray(&a, &ints, 1 << 30));
    P(cudaMallocArray(&a, &ints, 4, 1 << 20));
    P(cudaMallocArray(&a, &ints, 4, 4, 0xffff));
    P(cudaMalloc3DArray(&a, &ints, {4, 4, 7}, cudaArrayCubemap));
    P(cudaMalloc3DArray(&a, &ints, {4, 5, 6}, cudaArrayCubemap));
    P(cudaMalloc3DArray(&a, &ints, {4, 4, 4096}, cudaArrayLayered));
    P(cudaMalloc3DArray(&a, &ints, {4, 0, 4}));
    P(cudaFreeArray(nullptr));
    P(cudaMallocArray(&plain, &ints, 4));
    LAST();
    cudaTextureObject_t t = 0;
    cudaResourceDesc r = {};
    cudaTextureDesc td = {};
    P(cudaCreateTextureObject(&t, nullptr, &td, nullptr));
    P(cudaCreateTextureObject(nullptr, &r, &td, nullptr));
    P(cudaCreateTextureObject(&t, &r, &td, nullptr));
    r.resType = (cudaResourceType)99;
    P(cudaCreateTextureObject(&t, &r, &td, nullptr));
    r.resType = cudaResourceTypeArray;
    r.res.array.array = plain;
    P(cudaCreateTextureObject(&t, &r, nullptr, nullptr));
    td.filterMode = (cudaTextureFilterMode)9;
    P(cudaCreateTextureObject(&t, &r, &td, nullptr));
    td = {};
    td.addressMode[0] = (cudaTextureAddressMode)9;
    P(cudaCreateTextureObject(&t, &r, &td, nullptr));
    td = {};
    td.readMode = (cudaTextureReadMode)9;
    P(cudaCreateTextureObject(&t, &r, &td, nullptr));
    td = {};
    td.filterMode = cudaFilterModeLinear;
    P(cudaCreateTextureObject(&t, &r, &td, nullptr));
    td = {};
    td.readMode = cudaReadModeNormalizedFloat;
    P(cudaCreateTextureObject(&t, &r, &td, nullptr));
    td = {};
    r = {};
    r.resType = cudaResourceTypeLinear;
    r.res.linear.desc = ints;
    for (const Named& each : all)
        for (size_t n : {(size_t)0, (size_t)64, (size_t)1 << 40}) {
            r.res.linear.devPtr = each.pointer;
            r.res.linear.sizeInBytes = n;
            char with[60];
            snprintf(with, sizeof with, "%s, %zu bytes", each.name, n);
            WITH(with, cudaCreateTextureObject(&t, &r, &td, nullptr));
        }
    r = {};
    r.resType = cudaResourceTypePitch2D;
    r.res.pitch2D.desc = ints;
    r.res.pitch2D.devPtr = d;
    r.res.pitch2D.width = 4;
    r.res.pitch2D.height = 4;
    for (size_t n : {(size_t)0, (size_t)4, (size_t)16, (size_t)33, (size_t)64, (size_t)1 << 40}) {
        r.res.pitch2D.pitchInBytes = n;
        char with[40];
        snprintf(with, sizeof with, "pitch %zu", n);
        WITH(with, cudaCreateTextureObject(&t, &r, &td, nullptr));
    }
    LAST();
    cudaSurfaceObject_t o = 0;
    r = {};
    r.resType = cudaResourceTypeArray;
    r.res.array.array = plain;
    P(cudaCreateSurfaceObject(&o, &r));
    P(cudaCreateSurfaceObject(nullptr, &r));
    P(cudaCreateSurfaceObject(&o, nullptr));
    r.resType = cudaResourceTypeLinear;
    P(cudaCreateSurfaceObject(&o, &r));
    P(cudaDestroySurfaceObject(12345));
    P(cudaDestroyTextureObject(12345));
    P(cudaGetTextureObjectResourceDesc(&r, 12345));
    P(cudaGetTextureObjectTextureDesc(&td, 12345));
    P(cudaGetSurfaceObjectResourceDesc(&r, 12345));
    P(cudaMemcpy2DToArray(plain, 0, 0, back, 64, 64, 1, cudaMemcpyHostToDevice));
    P(cudaMemcpy2DToArray(plain, 8, 0, back, 16, 16, 1, cudaMemcpyHostToDevice));
    P(cudaMemcpy2DToArray(plain, 0, 1, back, 16, 16, 1, cudaMemcpyHostToDevice));
    P(cudaMemcpy2DToArray(plain, 0, 0, back, 4, 16, 1, cudaMemcpyHostToDevice));
    P(cudaMemcpy2DToArray(plain, 0, 0, nullptr, 16, 16, 1, cudaMemcpyHostToDevice));
    P(cudaMemcpy2DFromArray(back, 16, plain, 2, 0, 4, 1, cudaMemcpyDeviceToHost));
    P(cudaMemcpy2DArrayToArray(plain, 0, 0, plain, 0, 0, 64, 1));
    P(cudaMemcpy2DToArray(plain, 0, 0, back, 16, 16, 1, (cudaMemcpyKind)9));
    LAST();
    P(cudaDeviceSynchronize());
    // Far too much: last, as a driver that believed it would touch the program's own memory.
    for (const Named& each : all) {
        void* p = each.pointer;
        WITH(each.name, cudaMemset(p, 0, (size_t)1 << 40));
        WITH(each.name, cudaMemset(p, 0, SIZE_MAX));
        WITH(each.name, cudaMemcpy(p, back, (size_t)1 << 40, cudaMemcpyHostToDevice));
        WITH(each.name, cudaMemcpy(back, p, SIZE_MAX, cudaMemcpyDeviceToHost));
        WITH(each.name, cudaMemPrefetchAsync(p, (size_t)1 << 40, here, 0, 0));
        LAST();
    }
    P(cudaDeviceSynchronize());
}
