#include "cases.h"
// ENDS
// CASE flag_that_nobody_sets
__global__ void k(volatile int* flag) {
    while (*flag == 0) {}  // FIND deadlock
}
int main() {
    k<<<1, 32>>>(zeroed<int>(1));
    return cudaDeviceSynchronize() != cudaSuccess;
}
