#include "cases.h"
// ENDS
// CASE local_array_overrun
__global__ void k(int* d, int n) {
    int a[8];
    for (int i = 0; i < n; ++i) a[i] = d[0];  // FIND oob-write
    d[1] = a[d[0] % 8];
}
int main() {
    k<<<1, 1>>>(counted(8), 100000);
    return cudaDeviceSynchronize() != cudaSuccess;
}
