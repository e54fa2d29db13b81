// The CUDA driver API beside a kernel of the runtime's.
#include <cuda.h>

#include <cstdio>

__global__ void twice(int* x) { x[threadIdx.x] *= 2; }

int main() {
    int count = 0, *d = nullptr, host[4] = {1, 2, 3, 4};
    if (cuInit(0) != CUDA_SUCCESS || cuDeviceGetCount(&count) != CUDA_SUCCESS) return 1;
    cudaMalloc(&d, sizeof host);
    cudaMemcpy(d, host, sizeof host, cudaMemcpyHostToDevice);
    twice<<<1, 4>>>(d);
    cudaMemcpy(host, d, sizeof host, cudaMemcpyDeviceToHost);
    std::printf("%d device: %d %d %d %d\n", count, host[0], host[1], host[2], host[3]);
    cudaFree(d);
}
