// An array that grows: more memory is mapped behind what is there, and its address stays. Then a store past its end.
#include <cstdio>
#include <cuda.h>
__global__ void count(int* p, int from, int to) {
    for (int i = from + threadIdx.x; i < to; i += blockDim.x) p[i] = i;
}
static size_t unit;
static CUdeviceptr room;
static void grow(size_t at) {
    CUmemAllocationProp properties = {};
    properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    cuMemGetAllocationGranularity(&unit, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM);
    if (!room) cuMemAddressReserve(&room, 4 * unit, 0, 0, 0);
    CUmemGenericAllocationHandle memory;
    cuMemCreate(&memory, unit, &properties, 0);
    cuMemMap(room + at * unit, unit, 0, memory, 0);
    cuMemRelease(memory);
    CUmemAccessDesc access = {};
    access.location = properties.location;
    access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    cuMemSetAccess(room + at * unit, unit, &access, 1);
}
int main() {
    cudaFree(0);
    cuInit(0);
    grow(0);
    int each = (int)(unit / sizeof(int));
    count<<<1, 256>>>((int*)room, 0, each);
    grow(1);
    count<<<1, 256>>>((int*)room, each, 2 * each);
    int across[4] = {};
    cuMemcpyDtoH(across, room + unit - 8, sizeof across);
    cudaMemcpy(across, (int*)room + each - 2, sizeof across, cudaMemcpyDefault);
    printf("%d %d\n", across[0] - each, across[3] - each);
    printf("half a mapping: %d\n", cuMemUnmap(room, unit / 2));
    count<<<1, 1>>>((int*)room, 2 * each, 2 * each + 1);
    printf("past the end: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
