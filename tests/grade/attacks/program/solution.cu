// EQUAL: mix works in block 0 alone (it is launched with one block)
#include <cuda_runtime.h>

#include <cstdio>

__global__ void mix(unsigned* x) {
    for (int i = 0; i < 100; ++i) x[threadIdx.x] = x[threadIdx.x] * 1664525u + 1013904223u;
}

int main() {
    unsigned numbers[2] = {};
    if (scanf("%u %u", &numbers[0], &numbers[1]) != 2) return 1;
    unsigned* d;
    cudaMalloc(&d, sizeof numbers);
    cudaMemcpy(d, numbers, sizeof numbers, cudaMemcpyHostToDevice);
    mix<<<1, 2>>>(d);
    cudaMemcpy(numbers, d, sizeof numbers, cudaMemcpyDeviceToHost);
    cudaFree(d);
    printf("%u %u\n", numbers[0], numbers[1]);
}
