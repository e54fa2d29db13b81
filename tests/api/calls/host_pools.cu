// Pools of host and of managed memory, pools to share, and what is allocated from them.
#include "calls.h"

static void use(const char* what, cudaMemPool_t pool) {
    printf("%s\n", what);
    int* p = nullptr;
    int back = 0;
    P(cudaMallocFromPoolAsync((void**)&p, 4096, pool, 0));
    P(cudaDeviceSynchronize());
    cudaPointerAttributes a = {};
    P(cudaPointerGetAttributes(&a, p));
    printf("type %d device %d\n", (int)a.type, a.device);
    set<<<1, 1>>>(p, 42);
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
            V("%d", current == pool);
            P(cudaDeviceSetMemPool(0, pool));
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
}
