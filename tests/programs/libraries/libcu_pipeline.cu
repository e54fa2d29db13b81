// Two stages of shared memory: one is filled while the other is added up.
#include <cooperative_groups.h>
#include <cuda/pipeline>
#include "check.h"
namespace cg = cooperative_groups;
constexpr int stages = 2, batches = 6;
__global__ void sums(const int* in, int* out) {
    const auto block = cg::this_thread_block();
    __shared__ int tile[stages][64];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, stages> state;
    auto pipe = cuda::make_pipeline(block, &state);
    int sum = 0;
    for (int next = 0, now = 0; now < batches; ++now) {
        for (; next < batches && next < now + stages; ++next) {
            pipe.producer_acquire();
            cuda::memcpy_async(block, tile[next % stages], in + next * 64, cuda::aligned_size_t<16>(sizeof tile[0]), pipe);
            pipe.producer_commit();
        }
        pipe.consumer_wait();
        sum += tile[now % stages][threadIdx.x ^ 1];
        pipe.consumer_release();
    }
    out[threadIdx.x] = sum;
}
int main() {
    const std::vector<int> list = numbers(64 * batches, 1000);
    std::vector<int> wanted(64);
    for (int i = 0; i < 64 * batches; ++i) wanted[i % 64 ^ 1] += list[i];
    int *in = to_device(list), *out = to_device(wanted);
    sums<<<1, 64>>>(in, out);
    expect("pipeline", from_device(out, 64), wanted);
    cudaFree(in);
    cudaFree(out);
}
