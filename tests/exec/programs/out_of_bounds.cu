// A kernel writes past the end of an allocation.
#include <cstdio>
__global__ void k(int* p) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    p[i] = i;
}
int main() {
    int* p;
    cudaMalloc(&p, 400);
    k<<<1, 128>>>(p);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    cudaFree(p);
}
