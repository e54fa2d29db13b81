#include "cases.h"
// ENDS
// CASE used_after_free
__global__ void k(int* d) { d[threadIdx.x] = 1; }  // FIND use-after-free
int main() {
    int* d = raw<int>(32);
    cudaFree(d);
    k<<<1, 32>>>(d);
    return cudaDeviceSynchronize() != cudaSuccess;
}
