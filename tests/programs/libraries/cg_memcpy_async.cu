#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include "check.h"
namespace cg = cooperative_groups;
__global__ void reverse(const int* in, int* out) {
    __shared__ int tile[128];
    const auto block = cg::this_thread_block();
    cg::memcpy_async(block, tile, in + blockIdx.x * 128, sizeof tile);
    cg::wait(block);
    out[blockIdx.x * 128 + threadIdx.x] = tile[127 - threadIdx.x];
}
int main() {
    const std::vector<int> list = numbers(512, 1000);
    std::vector<int> wanted(512);
    for (int i = 0; i < 512; ++i) wanted[i] = list[i / 128 * 128 + 127 - i % 128];
    int *in = to_device(list), *out = to_device(wanted);
    reverse<<<4, 128>>>(in, out);
    expect("memcpy_async", from_device(out, 512), wanted);
    cudaFree(in);
    cudaFree(out);
}
