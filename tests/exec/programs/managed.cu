// Managed memory that host and device use in turn.
#include <cstdio>
#include <numeric>
__managed__ int total = 100;
__global__ void add(const int* values, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&total, values[i]);
}
int main() {
    int* values;
    cudaMallocManaged(&values, 64 * sizeof(int));
    std::iota(values, values + 64, 0);
    add<<<2, 32>>>(values, 64);
    cudaDeviceSynchronize();
    printf("%d\n", total);
    cudaFree(values);
}
