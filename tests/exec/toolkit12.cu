// Linked with libcudart.so.12: what has other parameters there.
#include <cstdio>
#include <cstring>
extern "C" cudaError_t properties_12(void* properties, int device) asm("cudaGetDeviceProperties_v2");
extern "C" cudaError_t prefetch_12(const void* memory, size_t bytes, int device,
                                   cudaStream_t stream) asm("cudaMemPrefetchAsync");
__global__ void add(int* p) {
    p[threadIdx.x] += 2;
}
int main() {
    static char properties[1032];
    int *p, major, count;
    properties_12(properties, 0);
    memcpy(&major, properties + 360, sizeof major);
    memcpy(&count, properties + 388, sizeof count);
    printf("%s %d %d\n", properties, major, count);
    cudaMallocManaged(&p, 32 * sizeof(int));
    memset(p, 0, 32 * sizeof(int));
    printf("%d\n", prefetch_12(p, 32 * sizeof(int), 0, nullptr));
    add<<<1, 32>>>(p);
    cudaDeviceSynchronize();
    printf("%d\n", p[31]);
    cudaFree(p);
}
