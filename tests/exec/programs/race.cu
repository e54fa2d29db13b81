// A missing barrier.
#include <cstdio>
__global__ void k(int* p) {
    __shared__ int s[64];
    s[threadIdx.x] = threadIdx.x;
    p[threadIdx.x] = s[63 - threadIdx.x];
}
int main() {
    int* p;
    cudaMalloc(&p, 256);
    k<<<1, 64>>>(p);
    int h[64];
    cudaMemcpy(h, p, 256, cudaMemcpyDeviceToHost);
    printf("%d\n", h[0]);
    cudaFree(p);
}
