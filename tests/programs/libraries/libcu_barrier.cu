// Arrive and wait are apart; the memory between them is seen.
#include <cuda/barrier>
#include <utility>
#include "check.h"
__global__ void shift(int* data) {
    using barrier = cuda::barrier<cuda::thread_scope_block>;
    __shared__ barrier ready;
    __shared__ int tile[64];
    if (threadIdx.x == 0) init(&ready, blockDim.x);
    __syncthreads();
    tile[threadIdx.x] = data[threadIdx.x];
    barrier::arrival_token token = ready.arrive();
    ready.wait(std::move(token));
    const int next = tile[(threadIdx.x + 1) % 64];
    ready.arrive_and_wait();
    data[threadIdx.x] = next;
}
int main() {
    const std::vector<int> list = numbers(64, 1000);
    std::vector<int> wanted(64);
    for (int i = 0; i < 64; ++i) wanted[i] = list[(i + 1) % 64];
    int* d = to_device(list);
    shift<<<1, 64>>>(d);
    expect("barrier", from_device(d, 64), wanted);
    cudaFree(d);
}
