// Pinned and mapped host memory.
#include <cstdio>
__global__ void square(int* p) {
    p[threadIdx.x] *= p[threadIdx.x];
}
int main() {
    int *h, *d;
    cudaHostAlloc(&h, 32 * sizeof(int), cudaHostAllocMapped);
    for (int i = 0; i < 32; ++i) h[i] = i;
    cudaHostGetDevicePointer(&d, h, 0);
    square<<<1, 32>>>(d);
    cudaDeviceSynchronize();
    printf("%d\n", h[31]);
    cudaFreeHost(h);
}
