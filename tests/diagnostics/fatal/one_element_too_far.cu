#include "cases.h"
// ENDS
// CASE one_element_too_far
__global__ void k(int* d, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n) d[i] = i;  // FIND oob-write
}
int main() {
    k<<<4, 32>>>(raw<int>(100), 100);
    return cudaDeviceSynchronize() != cudaSuccess;
}
