#include "cases.h"
// ENDS
// CASE dynamic_memory_in_elements
__global__ void k(float* d) {
    extern __shared__ float s[];
    s[threadIdx.x] = d[threadIdx.x];  // FIND oob-write
    __syncthreads();
    d[threadIdx.x] = s[31 - threadIdx.x];
}
int main() {
    k<<<1, 32, 32>>>(counted<float>(32));
    return cudaDeviceSynchronize() != cudaSuccess;
}
