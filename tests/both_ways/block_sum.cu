// CUB: its headers are built once, and not read in every run.
#include <cub/block/block_reduce.cuh>
#include <cstdio>

__global__ void sum(int* out) {
    using Reduce = cub::BlockReduce<int, 64>;
    __shared__ typename Reduce::TempStorage storage;
    const int total = Reduce(storage).Sum(threadIdx.x);
    if (threadIdx.x == 0) *out = total;
}

int main() {
    int *out, total = 0;
    cudaMalloc(&out, sizeof(int));
    sum<<<1, 64>>>(out);
    cudaMemcpy(&total, out, sizeof(int), cudaMemcpyDeviceToHost);
    std::printf("%d\n", total);
    cudaFree(out);
}
