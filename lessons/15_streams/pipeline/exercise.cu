#include <algorithm>
#include <vector>

// h is pinned. Given:  __global__ void work(float *p, int n)
cudaError_t pipeline(float* h, int n, int chunks) {
    float* d;
    cudaError_t error = cudaMalloc(&d, n * sizeof(float));
    if (error != cudaSuccess) return error;
    cudaMemcpy(d, h, n * sizeof(float), cudaMemcpyHostToDevice);
    work<<<(n + 255) / 256, 256>>>(d, n);
    cudaMemcpy(h, d, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(d);
    return cudaGetLastError();
}
