// One block rotates the numbers.
#include <cuda_runtime.h>

int data[256];
int n, shift;

void run() {
    int* d = nullptr;
    if (cudaMalloc(&d, n * sizeof(int)) != cudaSuccess) return;
    cudaMemcpy(d, data, n * sizeof(int), cudaMemcpyHostToDevice);
    rotate<<<1, 256>>>(d, n, shift);
    cudaMemcpy(data, d, n * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(d);
}
