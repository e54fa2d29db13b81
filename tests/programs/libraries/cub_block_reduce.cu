#include <cub/block/block_reduce.cuh>
#include "check.h"
__global__ void sums(const int* in, int* out) {
    using Reduce = cub::BlockReduce<int, 128>;
    __shared__ typename Reduce::TempStorage storage;
    const int sum = Reduce(storage).Sum(in[blockIdx.x * 128 + threadIdx.x]);
    if (threadIdx.x == 0) out[blockIdx.x] = sum;
}
int main() {
    const std::vector<int> list = numbers(512, 100);
    std::vector<int> wanted(4);
    for (int i = 0; i < 512; ++i) wanted[i / 128] += list[i];
    int *in = to_device(list), *out = to_device(std::vector<int>(4));
    sums<<<4, 128>>>(in, out);
    expect("BlockReduce", from_device(out, 4), wanted);
    cudaFree(in);
    cudaFree(out);
}
