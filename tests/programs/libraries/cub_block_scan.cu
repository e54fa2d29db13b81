#include <cub/cub.cuh>
#include "check.h"
template <int threads, int each>
__global__ void scan(const int* in, int* out) {
    using Load = cub::BlockLoad<int, threads, each, cub::BLOCK_LOAD_TRANSPOSE>;
    using Scan = cub::BlockScan<int, threads>;
    using Store = cub::BlockStore<int, threads, each, cub::BLOCK_STORE_TRANSPOSE>;
    __shared__ union {
        typename Load::TempStorage load;
        typename Scan::TempStorage scan;
        typename Store::TempStorage store;
    } shared;
    int items[each];
    Load(shared.load).Load(in, items);
    __syncthreads();
    Scan(shared.scan).ExclusiveSum(items, items);
    __syncthreads();
    Store(shared.store).Store(out, items);
}
int main() {
    const std::vector<int> list = numbers(512, 100);
    std::vector<int> wanted(512);
    for (int i = 1; i < 512; ++i) wanted[i] = wanted[i - 1] + list[i - 1];
    int *in = to_device(list), *out = to_device(std::vector<int>(512));
    scan<128, 4><<<1, 128>>>(in, out);
    expect("BlockScan", from_device(out, 512), wanted);
    cudaFree(in);
    cudaFree(out);
}
