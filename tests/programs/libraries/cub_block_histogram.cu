#include <cub/cub.cuh>
#include "check.h"
__global__ void count(const unsigned char* in, unsigned* out) {
    using Histogram = cub::BlockHistogram<unsigned char, 128, 2, 16>;
    __shared__ typename Histogram::TempStorage storage;
    __shared__ unsigned bins[16];
    unsigned char items[2] = {in[threadIdx.x], in[threadIdx.x + 128]};
    Histogram(storage).Histogram(items, bins);
    __syncthreads();
    if (threadIdx.x < 16) out[threadIdx.x] = bins[threadIdx.x];
}
int main() {
    std::vector<unsigned char> list;
    std::vector<unsigned> wanted(16);
    for (int each : numbers(256, 16)) list.push_back((unsigned char)each), ++wanted[each];
    unsigned char* in = to_device(list);
    unsigned* out = to_device(std::vector<unsigned>(16));
    count<<<1, 128>>>(in, out);
    expect("BlockHistogram", from_device(out, 16), wanted);
    cudaFree(in);
    cudaFree(out);
}
