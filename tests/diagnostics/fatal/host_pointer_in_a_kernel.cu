#include "cases.h"
// ENDS
// CASE host_pointer_in_a_kernel
__global__ void k(int* d) { d[threadIdx.x] = 1; }  // FIND host-pointer-in-kernel
int main() {
    int h[32];
    k<<<1, 32>>>(h);
    return cudaDeviceSynchronize() != cudaSuccess;
}
