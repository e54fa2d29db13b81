// Atomics of 16 bytes, and stores to another block's shared memory that an mbarrier counts (st.async).
#include "cases.h"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

struct alignas(16) Wide {
    unsigned long long low, high;
};
__global__ void exchange_wide(Wide* to, Wide* old) {
    const int t = threadIdx.x;
    old[t] = atomicExch(to, Wide{t + 1ull, ~static_cast<unsigned long long>(t)});
}
__global__ void compare_wide(Wide* to, Wide* old) {
    const int t = threadIdx.x;
    old[t] = atomicCAS(to, Wide{static_cast<unsigned long long>(t), 7}, Wide{t + 1ull, 7});
}
__global__ void exchange_wide_shared(Wide* to, Wide* old) {
    __shared__ Wide s;
    const int t = threadIdx.x;
    if (t == 0) s = Wide{5, 6};
    __syncthreads();
    old[t] = atomicExch(&s, Wide{t + 1ull, ~static_cast<unsigned long long>(t)});
    __syncthreads();
    const Wide before = atomicCAS(&s, Wide{32, ~31ull}, Wide{t + 100ull, 1});
    if (t == 9) old[32] = before;
    __syncthreads();
    if (t == 0) *to = s;
}
template <class Kernel>
void run_wide(Kernel kernel) {
    Shared<Wide> to(1), old(33);
    Wide first{0, 7};
    cudaMemcpy(to.device, &first, 16, cudaMemcpyHostToDevice);
    kernel<<<1, 32>>>(to.device, old.device);
    if (!succeeded(cudaDeviceSynchronize())) return;
    std::vector<unsigned long long> words(68);
    cudaMemcpy(words.data(), to.device, 16, cudaMemcpyDeviceToHost);
    show("stays", words.data(), 2);
    cudaMemcpy(words.data(), old.device, 33 * 16, cudaMemcpyDeviceToHost);
    show("old", words.data(), 66);
    show("first", words.data(), 8);
}
CASE(exchange_wide) { run_wide(exchange_wide); }
CASE(compare_wide) { run_wide(compare_wide); }
CASE(exchange_wide_shared) { run_wide(exchange_wide_shared); }

__global__ void add_wide(Wide* to, int* tries) {
    const int t = threadIdx.x;
    Wide assumed{0, 7}, seen = assumed;
    do {
        assumed = seen;
        seen = atomicCAS(to, assumed, Wide{assumed.low + t, assumed.high + 1});
        ++tries[t];
    } while (seen.low != assumed.low || seen.high != assumed.high);
}
CASE(add_wide) {
    Shared<Wide> to(1);
    Shared<int> tries(64);
    Wide first{0, 7};
    cudaMemcpy(to.device, &first, 16, cudaMemcpyHostToDevice);
    add_wide<<<1, 64>>>(to.device, tries.device);
    if (!succeeded(cudaDeviceSynchronize())) return;
    cudaMemcpy(&first, to.device, 16, cudaMemcpyDeviceToHost);
    show("low", static_cast<long long>(first.low));
    show("high", static_cast<long long>(first.high));
}

/// Each block gives its neighbour 64 bytes for each of 32 threads, and waits for its own.
template <int Words>
__device__ void store_async(unsigned to, unsigned barrier, int value) {
    if constexpr (Words == 1)
        asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.s32 [%0], %1, [%2];" ::"r"(to), "r"(value), "r"(barrier) : "memory");
    if constexpr (Words == 2)
        asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b64 [%0], %1, [%2];" ::"r"(to), "l"(value * 0x100000001ll), "r"(barrier) : "memory");
    if constexpr (Words == 4)
        asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.s32 [%0], {%1, %2, %3, %4}, [%5];" ::"r"(to), "r"(value), "r"(value + 1), "r"(value + 2), "r"(value + 3), "r"(barrier) : "memory");
}
template <int Words>
__global__ void __cluster_dims__(2, 1, 1) pass_on(int* out) {
    __shared__ alignas(16) int got[32 * 4];
    __shared__ alignas(8) unsigned long long barrier;
    const int t = threadIdx.x;
    const auto cluster = cg::this_cluster();
    const unsigned mine = static_cast<unsigned>(__cvta_generic_to_shared(&barrier));
    if (t == 0) {
        asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(mine) : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        unsigned long long state;
        asm volatile("mbarrier.arrive.expect_tx.shared.b64 %0, [%1], %2;" : "=l"(state) : "r"(mine), "r"(32 * 4 * Words) : "memory");
    }
    cluster.sync();
    const unsigned other = cluster.block_rank() ^ 1;
    unsigned there, barrier_there;
    const unsigned here = static_cast<unsigned>(__cvta_generic_to_shared(got + Words * t));
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(here), "r"(other));
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(barrier_there) : "r"(mine), "r"(other));
    store_async<Words>(there, barrier_there, 1000 * blockIdx.x + 10 * t);
    int done = 0;
    while (!done)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], 0; selp.s32 %0, 1, 0, p; }" : "=r"(done) : "r"(mine) : "memory");
    for (int k = 0; k < Words; ++k) out[blockIdx.x * 128 + Words * t + k] = got[Words * t + k];
    cluster.sync();
}
CASE(store_async_word) {
    Shared<int> out(256);
    pass_on<1><<<2, 32>>>(out.device);
    out.tell("got");
}
CASE(store_async_double_word) {
    Shared<int> out(256);
    pass_on<2><<<2, 32>>>(out.device);
    out.tell("got");
}
CASE(store_async_vector) {
    Shared<int> out(256);
    pass_on<4><<<2, 32>>>(out.device);
    out.tell("got");
}
