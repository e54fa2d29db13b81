#include "cases.h"
// ENDS
// CASE lanes_that_never_come
__global__ void k(int* d) {
    if (threadIdx.x < 16)
        __syncwarp();  // FIND deadlock
    else
        __syncthreads();
    d[threadIdx.x] = 1;
}
int main() {
    k<<<1, 32>>>(raw<int>(32));
    return cudaDeviceSynchronize() != cudaSuccess;
}
