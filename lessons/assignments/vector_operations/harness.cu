// What runs the submission's kernel. The grader puts numbers into x and y, and reads z.
#include <cuda_runtime.h>

float x[8192], y[8192], z[8192];

void run(int n, int blocks, int threads) {
    const size_t bytes = n * sizeof(float);
    float *dx, *dy, *dz;
    if (cudaMalloc(&dx, bytes) != cudaSuccess || cudaMalloc(&dy, bytes) != cudaSuccess ||
        cudaMalloc(&dz, bytes) != cudaSuccess)
        return;
    cudaMemcpy(dx, x, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(dy, y, bytes, cudaMemcpyHostToDevice);
    cudaMemset(dz, 0, bytes);
    axpby<<<blocks, threads>>>(dz, dx, dy, 2.0f, -3.0f, n);
    cudaMemcpy(z, dz, bytes, cudaMemcpyDeviceToHost);
    cudaFree(dx);
    cudaFree(dy);
    cudaFree(dz);
}
