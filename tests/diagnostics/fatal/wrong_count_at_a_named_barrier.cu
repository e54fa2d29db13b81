#include "cases.h"
// ENDS
// CASE wrong_count_at_a_named_barrier
__global__ void k(int* d) {
    d[threadIdx.x] = 1;
    asm volatile("bar.sync 1, 96;" ::: "memory");  // FIND deadlock
}
int main() {
    k<<<1, 64>>>(raw<int>(64));
    return cudaDeviceSynchronize() != cudaSuccess;
}
