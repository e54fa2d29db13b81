// POINTS: 0
// FAILS: the kernel makes the squares
// SAYS: it is made by host code
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define KERNEL __global__ void
#define BEGIN {
KERNEL square(int* data, int n) BEGIN
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i] *= data[i];
}

int main(int argc, char** argv) {
    int n = argc > 1 ? std::atoi(argv[1]) : 8;
    int* host = new int[n];
    for (int i = 0; i < n; ++i) host[i] = i;
    int* device = nullptr;
    cudaMalloc(&device, n * sizeof(int));
    cudaMemcpy(device, host, n * sizeof(int), cudaMemcpyHostToDevice);
    square<<<(n + 31) / 32, 32>>>(device, n);
    cudaMemcpy(host, device, n * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(device);
    for (int i = 0; i < n; ++i) std::printf("%d\n", i * i);
    delete[] host;
}
