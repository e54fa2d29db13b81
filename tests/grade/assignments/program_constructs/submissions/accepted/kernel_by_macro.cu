// A macro makes the kernel; a namespace of its own has a library's name.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

namespace thrust {
__device__ int times(int a, int b) {
    return a * b;
}
}  // namespace thrust

#define ELEMENTWISE(name, value)                                \
    __global__ void name(int* data, int n) {                    \
        const int i = blockIdx.x * blockDim.x + threadIdx.x;    \
        if (i < n) data[i] = value;                             \
    }
ELEMENTWISE(square, thrust::times(data[i], data[i]))

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
    for (int i = 0; i < n; ++i) std::printf("%d\n", host[i]);
    delete[] host;
}
