#include "cases.h"
// ENDS
// CASE rows_and_pitch
__global__ void k(float* m, int width, int height) {
    int x = threadIdx.x, y = threadIdx.y;
    m[x * width + y] = 1;  // FIND oob-write
}
int main() {
    k<<<1, dim3(32, 8)>>>(raw<float>(256), 32, 8);
    return cudaDeviceSynchronize() != cudaSuccess;
}
