// Kernels that launch kernels.
#include <cstdio>

__global__ void add(int* x, int amount) { x[threadIdx.x] += amount; }

__global__ void halve(int* x, int count) {
    if (threadIdx.x != 0) return;
    add<<<1, count>>>(x, count);
    if (count > 1) halve<<<1, 32>>>(x, count / 2);
}

int main() {
    int* x;
    cudaMallocManaged(&x, 8 * sizeof(int));
    for (int i = 0; i < 8; ++i) x[i] = i;
    halve<<<1, 32>>>(x, 8);
    cudaDeviceSynchronize();
    for (int i = 0; i < 8; ++i) std::printf("%d ", x[i]);
    std::printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    cudaFree(x);
}
