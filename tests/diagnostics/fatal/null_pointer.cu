#include "cases.h"
// ENDS
// CASE null_pointer
__global__ void k(int* d) { d[threadIdx.x] = 1; }  // FIND oob-write
int main() {
    k<<<1, 32>>>(nullptr);
    return cudaDeviceSynchronize() != cudaSuccess;
}
