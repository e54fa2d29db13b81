// The driver's virtual memory: what its calls are refused for, and what mapped memory holds.
// nvcc: -lcuda
#include <cuda.h>

#include "calls.h"

static const char* name_of(CUresult e) {
    const char* name = nullptr;
    cuGetErrorName(e, &name);
    return name ? name : "unknown";
}
static void shown(const char* what, CUresult e) {
    printf("%s -> %d %s\n", what, (int)e, name_of(e));
    fflush(stdout);
}
#define D(...)                                       \
    do {                                             \
        signal(SIGSEGV, faulted);                    \
        if (sigsetjmp(beyond, 1) == 0)               \
            shown(#__VA_ARGS__, __VA_ARGS__);        \
        else {                                       \
            printf(#__VA_ARGS__ " -> faults\n");     \
            fflush(stdout);                          \
        }                                            \
        signal(SIGSEGV, SIG_DFL);                    \
    } while (0)

__global__ void fill(int* p, int n, int v) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] = v + i;
}

static CUmemAllocationProp on_device(int device = 0) {
    CUmemAllocationProp p = {};
    p.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    p.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    p.location.id = device;
    return p;
}
static CUmemAccessDesc open_to(int device, CUmemAccess_flags flags) {
    CUmemAccessDesc a = {};
    a.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    a.location.id = device;
    a.flags = flags;
    return a;
}

int main() {
    size_t g = 0, r = 0;
    CUmemAllocationProp p = on_device(), wrong = on_device(99), host = on_device();
    D(cuMemGetAllocationGranularity(&g, &p, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    D(cuInit(0));
    CUcontext c;
    D(cuDevicePrimaryCtxRetain(&c, 0));
    D(cuCtxSetCurrent(c));
    int yes = -1;
    D(cuDeviceGetAttribute(&yes, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, 0));
    V("%d", yes);
    D(cuDeviceGetAttribute(&yes, CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED, 0));
    V("%d", yes);
    D(cuMemGetAllocationGranularity(&g, &p, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    D(cuMemGetAllocationGranularity(&r, &p, CU_MEM_ALLOC_GRANULARITY_RECOMMENDED));
    V("%zu", g);
    V("%zu", r);
    D(cuMemGetAllocationGranularity(nullptr, &p, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    D(cuMemGetAllocationGranularity(&r, nullptr, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    D(cuMemGetAllocationGranularity(&r, &wrong, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    D(cuMemGetAllocationGranularity(&r, &p, (CUmemAllocationGranularity_flags)2));

    puts("-- reserve");
    CUdeviceptr a = 0, b = 0, odd = 0;
    D(cuMemAddressReserve(nullptr, g, 0, 0, 0));
    D(cuMemAddressReserve(&odd, 0, 0, 0, 0));
    D(cuMemAddressReserve(&odd, g / 2, 0, 0, 0));
    D(cuMemAddressReserve(&odd, g + 4096, 0, 0, 0));
    D(cuMemAddressReserve(&odd, g, 3, 0, 0));
    D(cuMemAddressReserve(&odd, g, 0, 0, 1));
    D(cuMemAddressReserve(&a, 4 * g, 0, 0, 0));
    size_t rest = a & (g - 1);
    V("%zu", rest);
    D(cuMemAddressReserve(&b, 2 * g, 8 * g, 0, 0));
    rest = b & (8 * g - 1);
    V("%zu", rest);
    D(cuMemAddressFree(a + g, g));
    D(cuMemAddressFree(a, g));
    D(cuMemAddressFree(0, g));

    puts("-- create");
    CUmemGenericAllocationHandle h = 0, h2 = 0, none = 0;
    D(cuMemCreate(nullptr, g, &p, 0));
    D(cuMemCreate(&none, 0, &p, 0));
    D(cuMemCreate(&none, g / 2, &p, 0));
    D(cuMemCreate(&none, g, nullptr, 0));
    D(cuMemCreate(&none, g, &wrong, 0));
    D(cuMemCreate(&none, g, &p, 1));
    CUmemAllocationProp untyped = on_device();
    untyped.type = CU_MEM_ALLOCATION_TYPE_INVALID;
    D(cuMemCreate(&none, g, &untyped, 0));
    D(cuMemCreate(&none, (size_t)1 << 50, &p, 0));
    D(cuMemCreate(&h, 2 * g, &p, 0));
    D(cuMemCreate(&h2, g, &p, 0));
    CUmemAllocationProp found = {};
    D(cuMemGetAllocationPropertiesFromHandle(&found, h));
    V("%d", (int)found.type);
    V("%d", (int)found.location.type);

    puts("-- map");
    D(cuMemMap(a, g / 2, 0, h, 0));
    D(cuMemMap(a, g, g / 2, h, 0));
    D(cuMemMap(a, 4 * g, 0, h, 0));
    D(cuMemMap(a, 2 * g, 0, h, 1));
    D(cuMemMap(0, 2 * g, 0, h, 0));
    D(cuMemMap(a, 2 * g, 0, h, 0));
    D(cuMemMap(a, 2 * g, 0, h, 0));
    D(cuMemMap(a + 2 * g, g, 0, h2, 0));
    int value = 7;
    D(cuMemcpyHtoD(a, &value, sizeof value));

    puts("-- access");
    CUmemAccessDesc rw = open_to(0, CU_MEM_ACCESS_FLAGS_PROT_READWRITE), absent = open_to(99, rw.flags);
    CUmemAccessDesc ro = open_to(0, CU_MEM_ACCESS_FLAGS_PROT_READ);
    unsigned long long flags = 99;
    D(cuMemGetAccess(&flags, &rw.location, a));
    V("%llu", flags);
    D(cuMemSetAccess(a, 4 * g, &rw, 1));
    D(cuMemSetAccess(a, g / 2, &rw, 1));
    D(cuMemSetAccess(a, 3 * g, nullptr, 1));
    D(cuMemSetAccess(a, 3 * g, &rw, 0));
    D(cuMemSetAccess(a, 3 * g, &absent, 1));
    D(cuMemSetAccess(b, g, &rw, 1));
    D(cuMemSetAccess(a, 3 * g, &rw, 1));
    D(cuMemGetAccess(&flags, &rw.location, a));
    V("%llu", flags);

    puts("-- use");
    int n = (int)(3 * g / sizeof(int));
    fill<<<(n + 255) / 256, 256>>>((int*)a, n, 100);
    P(cudaDeviceSynchronize());
    int ends[2] = {};
    D(cuMemcpyDtoH(&ends[0], a + 2 * g - 4, 4));
    D(cuMemcpyDtoH(&ends[1], a + 3 * g - 4, 4));
    V("%d", ends[0] - 100 == (int)(2 * g / 4 - 1));
    V("%d", ends[1] - 100 == (int)(3 * g / 4 - 1));
    int across[4] = {};
    D(cuMemcpyDtoH(across, a + 2 * g - 8, sizeof across));
    V("%d", across[3] - across[0]);
    D(cuMemcpyDtoH(across, a + 3 * g - 8, sizeof across));
    D(cuMemsetD8(a + 2 * g - 4, 0, 8));
    D(cuMemcpyDtoH(across, a + 2 * g - 8, sizeof across));
    V("%d", across[1] | across[2]);
    cudaPointerAttributes about = {};
    P(cudaPointerGetAttributes(&about, (void*)a));
    V("%d", (int)about.type);
    V("%d", (int)(about.devicePointer == (void*)a));
    CUdeviceptr base = 0;
    size_t size = 0;
    D(cuMemGetAddressRange(&base, &size, a + g));
    V("%d", (int)(base == a));
    V("%zu", size);
    CUmemGenericAllocationHandle again = 0;
    D(cuMemRetainAllocationHandle(&again, (void*)(a + g)));
    V("%d", (int)(again == h));
    D(cuMemRelease(again));
    P(cudaFree((void*)a));
    D(cuMemFree(a));

    puts("-- one memory at two addresses");
    D(cuMemMap(b, 2 * g, 0, h, 0));
    D(cuMemSetAccess(b, 2 * g, &rw, 1));
    fill<<<1, 4>>>((int*)b, 4, 5000);
    P(cudaDeviceSynchronize());
    D(cuMemcpyDtoH(across, a, sizeof across));
    V("%d", across[2]);

    puts("-- unmap");
    D(cuMemUnmap(a, g));
    D(cuMemUnmap(a + g, 2 * g));
    D(cuMemUnmap(b, g / 2));
    D(cuMemUnmap(b, g));
    D(cuMemUnmap(b, 2 * g));
    D(cuMemUnmap(b, 2 * g));
    D(cuMemAddressFree(a, 4 * g));
    D(cuMemUnmap(a, 2 * g));
    D(cuMemUnmap(a + 2 * g, g));
    D(cuMemUnmap(a, 3 * g));
    D(cuMemUnmap(a, 8 * g));
    D(cuMemMap(b, 2 * g, 0, h, 0));
    D(cuMemSetAccess(b, 2 * g, &ro, 1));
    D(cuMemGetAccess(&flags, &ro.location, b));
    V("%llu", flags);
    D(cuMemSetAccess(b, 2 * g, &rw, 1));
    D(cuMemcpyDtoH(across, b, sizeof across));
    V("%d", across[2]);
    D(cuMemUnmap(b, 2 * g));
    int fd = -1;
    D(cuMemExportToShareableHandle(&fd, h, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    CUmemAllocationProp shared = on_device();
    shared.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    CUmemGenericAllocationHandle s = 0, imported = 0;
    D(cuMemCreate(&s, g, &shared, 0));
    D(cuMemExportToShareableHandle(&fd, s, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    V("%d", (int)(fd >= 0));
    D(cuMemImportFromShareableHandle(&imported, (void*)(intptr_t)fd, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
    D(cuMemImportFromShareableHandle(&none, (void*)(intptr_t)-1, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
    D(cuMemMap(a, g, 0, s, 0));
    D(cuMemMap(a + g, g, 0, imported, 0));
    D(cuMemSetAccess(a, 2 * g, &rw, 1));
    fill<<<1, 4>>>((int*)(a + g), 4, 900);
    P(cudaDeviceSynchronize());
    D(cuMemcpyDtoH(across, a, sizeof across));
    V("%d", across[1]);
    D(cuMemUnmap(a, 2 * g));
    D(cuMemRelease(s));
    D(cuMemRelease(imported));

    puts("-- release");
    D(cuMemRelease(h));
    D(cuMemRelease(h));
    D(cuMemRelease(h2));
    D(cuMemMap(b, g, 0, h2, 0));
    D(cuMemAddressFree(a, 4 * g));
    D(cuMemAddressFree(a, 4 * g));
    D(cuMemAddressFree(b, 2 * g));

    puts("-- a store to reserved memory that nothing is mapped at");
    CUdeviceptr empty = 0;
    D(cuMemAddressReserve(&empty, g, 0, 0, 0));
    bad<<<1, 1>>>((int*)empty);
    P(cudaDeviceSynchronize());
    return 0;
}
