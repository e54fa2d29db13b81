// printf and assert in device code.
#include <cassert>
#include <cstdio>
__global__ void k(int n) {
    printf("thread %d of %d\n", threadIdx.x, n);
    assert(n < 10);
}
int main() {
    k<<<1, 3>>>(4);
    cudaDeviceSynchronize();
    k<<<1, 2>>>(11);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    return 1;
}
