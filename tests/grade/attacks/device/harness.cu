#include <cuda_runtime.h>

int in[256], out[256];

void run() {
    int *from = nullptr, *to = nullptr;
    if (cudaMalloc(&from, sizeof in) != cudaSuccess || cudaMalloc(&to, sizeof out) != cudaSuccess) return;
    cudaMemcpy(from, in, sizeof in, cudaMemcpyHostToDevice);
    cudaMemset(to, 0, sizeof out);
    add_up<<<1, 256>>>(to, from, 256);
    cudaMemcpy(out, to, sizeof out, cudaMemcpyDeviceToHost);
    cudaFree(from);
    cudaFree(to);
}
