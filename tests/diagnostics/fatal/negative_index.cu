#include "cases.h"
// ENDS
// CASE negative_index
__global__ void k(const int* in, int* out) {
    int t = threadIdx.x;
    out[t] = in[t] - in[t - 1];  // FIND oob-read
}
int main() {
    k<<<1, 32>>>(counted(32), raw<int>(32));
    return cudaDeviceSynchronize() != cudaSuccess;
}
