#include "cases.h"
// ENDS
// CASE grid_overruns
__global__ void k(float* d) {
    d[blockIdx.x * blockDim.x + threadIdx.x] = 1;  // FIND oob-write
}
int main() {
    k<<<4, 32>>>(raw<float>(100));
    return cudaDeviceSynchronize() != cudaSuccess;
}
