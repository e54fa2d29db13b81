// Pools of host and of managed memory, pools to share, and what is allocated from them. A kernel that uses memory of a
// host pool faults unless the device was given access (seen on an H200), so that all pools are opened to it here.
#include "calls.h"

static void access(cudaMemPool_t pool, cudaMemLocationType type) {
    cudaMemLocation at = {type, 0};
    cudaMemAccessFlags flags = (cudaMemAccessFlags)99;
    P(cudaMemPoolGetAccess(&flags, pool, &at));
    printf("access of location type %d: %d\n", (int)type, (int)flags);
}

static bool open_to_device(cudaMemPool_t pool) {
    for (auto type : {cudaMemLocationTypeDevice, cudaMemLocationTypeHost, cudaMemLocationTypeHostNuma})
        access(pool, type);
    cudaMemAccessDesc opened = {{cudaMemLocationTypeDevice, 0}, cudaMemAccessFlagsProtReadWrite};
    P(cudaMemPoolSetAccess(pool, &opened, 1));
    access(pool, cudaMemLocationTypeDevice);
    cudaMemAccessFlags flags = cudaMemAccessFlagsProtNone;
    cudaMemLocation device = {cudaMemLocationTypeDevice, 0};
    return cudaMemPoolGetAccess(&flags, pool, &device) == cudaSuccess && flags == cudaMemAccessFlagsProtReadWrite;
}

static void use(const char* what, cudaMemPool_t pool) {
    printf("%s\n", what);
    const bool open = open_to_device(pool);
    int* p = nullptr;
    int back = 0;
    P(cudaMallocFromPoolAsync((void**)&p, 4096, pool, 0));
    P(cudaDeviceSynchronize());
    cudaPointerAttributes a = {};
    P(cudaPointerGetAttributes(&a, p));
    printf("type %d device %d device pointer %d host pointer %d\n", (int)a.type, a.device, a.devicePointer == p,
           a.hostPointer == p);
    // Where the device has no access, the kernel would end all that comes after it.
    if (open || a.type != cudaMemoryTypeHost) set<<<1, 1>>>(p, 42);
    P(cudaDeviceSynchronize());
    P(cudaMemcpy(&back, p, 4, cudaMemcpyDefault));
    V("%d", back);
    unsigned long long used = 1;
    P(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
    V("%llu", used);
    P(cudaFreeAsync(p, 0));
    P(cudaFreeAsync(p, 0));
    P(cudaDeviceSynchronize());
    P(cudaFree(p));
    P(cudaMallocFromPoolAsync((void**)&p, 4096, pool, 0));
    P(cudaFreeHost(p));
    P(cudaFree(p));
    LAST();
}

int main() {
    cudaMemLocation device = {cudaMemLocationTypeDevice, 0}, host = {cudaMemLocationTypeHost, 0},
                    numa = {cudaMemLocationTypeHostNuma, 0}, none = {cudaMemLocationTypeInvalid, 0};
    for (auto location : {device, host, numa, none})
        for (auto type : {cudaMemAllocationTypePinned, cudaMemAllocationTypeManaged}) {
            cudaMemPool_t pool = nullptr, again = nullptr, current = nullptr, made = nullptr;
            cudaMemPoolProps props = {};
            props.allocType = type;
            props.location = location;
            printf("location %d type %d\n", (int)location.type, (int)type);
            P(cudaMemGetDefaultMemPool(&pool, &location, type));
            P(cudaMemGetDefaultMemPool(&again, &location, type));
            P(cudaMemGetMemPool(&current, &location, type));
            V("%d %d", pool == again, pool == current);
            P(cudaMemPoolCreate(&made, &props));
            if (!made) continue;
            P(cudaMemSetMemPool(&location, type, made));
            P(cudaMemGetMemPool(&current, &location, type));
            V("%d", current == made);
            P(cudaDeviceSetMemPool(0, made));
            use("made", made);
            if (pool) use("default", pool);
            P(cudaMemPoolDestroy(made));
            P(cudaMemGetMemPool(&current, &location, type));
            cudaMemPool_t standard = nullptr, of_device = nullptr;
            cudaDeviceGetDefaultMemPool(&standard, 0);
            P(cudaDeviceGetMemPool(&of_device, 0));
            V("%d %d %d", current == pool, current == made, current == standard);
            V("%d %d", of_device == pool, of_device == standard);
            P(cudaMemSetMemPool(&location, type, pool));
            P(cudaDeviceSetMemPool(0, pool));
            P(cudaDeviceGetMemPool(&of_device, 0));
            V("%d %d", of_device == pool, of_device == standard);
            int* p = nullptr;
            P(cudaMallocAsync((void**)&p, 4096, 0));
            cudaPointerAttributes a = {};
            P(cudaPointerGetAttributes(&a, p));
            V("%d", (int)a.type);
            P(cudaFreeAsync(p, 0));
            P(cudaDeviceSetMemPool(0, standard));
            LAST();
        }
    cudaMemPoolProps props = {};
    props.allocType = cudaMemAllocationTypePinned;
    props.location = device;
    props.handleTypes = cudaMemHandleTypePosixFileDescriptor;
    cudaMemPool_t shared;
    P(cudaMemPoolCreate(&shared, &props));
    use("to be shared", shared);
    P(cudaMemPoolDestroy(shared));
    P(cudaDeviceSynchronize());
    // Access that is taken back, and given while memory is in use.
    props = {};
    props.allocType = cudaMemAllocationTypePinned;
    props.location = host;
    cudaMemPool_t pool;
    P(cudaMemPoolCreate(&pool, &props));
    int* p = nullptr;
    P(cudaMallocFromPoolAsync((void**)&p, 4096, pool, 0));
    P(cudaStreamSynchronize(0));
    cudaMemAccessDesc given = {device, cudaMemAccessFlagsProtReadWrite}, taken = {device, cudaMemAccessFlagsProtNone};
    P(cudaMemPoolSetAccess(pool, &given, 1));
    if (open_to_device(pool)) set<<<1, 1>>>(p, 43);
    P(cudaDeviceSynchronize());
    V("%d", *p);
    P(cudaMemPoolSetAccess(pool, &taken, 1));
    access(pool, cudaMemLocationTypeDevice);
    given.location = host;
    P(cudaMemPoolSetAccess(pool, &given, 1));
    taken.location = host;
    P(cudaMemPoolSetAccess(pool, &taken, 1));
    given.location = {cudaMemLocationTypeDevice, 9};
    P(cudaMemPoolSetAccess(pool, &given, 1));
    given.location = none;
    P(cudaMemPoolSetAccess(pool, &given, 1));
    LAST();
    P(cudaFreeAsync(p, 0));
    P(cudaMemPoolDestroy(pool));
    P(cudaDeviceSynchronize());
    // The last call: memory of a host pool that the device has no access to.
    P(cudaMemPoolCreate(&pool, &props));
    P(cudaMallocFromPoolAsync((void**)&p, 4096, pool, 0));
    P(cudaMemsetAsync(p, 0, 4096, 0));
    P(cudaMemcpyAsync(p, p + 512, 4, cudaMemcpyDefault, 0));
    P(cudaDeviceSynchronize());
}
