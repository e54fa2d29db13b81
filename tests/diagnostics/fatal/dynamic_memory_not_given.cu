#include "cases.h"
// ENDS
// CASE dynamic_memory_not_given
__global__ void k(int* d) {
    extern __shared__ int s[];
    s[threadIdx.x] = d[threadIdx.x];  // FIND oob-write
    __syncthreads();
    d[threadIdx.x] = s[31 - threadIdx.x];
}
int main() {
    k<<<1, 32>>>(counted(32));
    return cudaDeviceSynchronize() != cudaSuccess;
}
