#include "cases.h"
// ENDS
// CASE shared_array_too_small
__global__ void k(int* d) {
    __shared__ int s[32];
    s[threadIdx.x] = d[threadIdx.x];  // FIND oob-write
    __syncthreads();
    d[threadIdx.x] = s[63 - threadIdx.x];
}
int main() {
    k<<<1, 64>>>(counted(64));
    return cudaDeviceSynchronize() != cudaSuccess;
}
