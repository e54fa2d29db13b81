// What runs the submission's kernel: one thread an element, blocks of 32 x 32.
#include <cuda_runtime.h>

float in[65536], out[65536];

void run(const float* matrix, int width, int height) {
    const size_t bytes = sizeof(float) * width * height;
    float *from = nullptr, *to = nullptr;
    if (cudaMalloc(&from, bytes) != cudaSuccess || cudaMalloc(&to, bytes) != cudaSuccess) return;
    cudaMemcpy(from, matrix, bytes, cudaMemcpyHostToDevice);
    cudaMemset(to, 0, bytes);
    const dim3 block(32, 32), grid((width + 31) / 32, (height + 31) / 32);
    transpose<<<grid, block>>>(to, from, width, height);
    cudaMemcpy(out, to, bytes, cudaMemcpyDeviceToHost);
    cudaFree(from);
    cudaFree(to);
}
