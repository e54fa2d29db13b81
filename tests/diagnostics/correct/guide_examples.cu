// In the spirit of the Programming Guide's examples on memory, barriers, asynchronous copies, atomics and cooperative
// groups: correct, so nothing is to be said of them.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda_pipeline.h>

#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/pipeline>

#include "../cases.h"

namespace cg = cooperative_groups;

// CASE double_sum_by_compare_and_swap
__device__ double add_double(double* address, double value) {
    auto* bits = reinterpret_cast<unsigned long long*>(address);
    unsigned long long old = *bits, assumed;
    do {
        assumed = old;
        old = atomicCAS(bits, assumed, __double_as_longlong(value + __longlong_as_double(assumed)));
    } while (assumed != old);
    return __longlong_as_double(old);
}
__global__ void sum_doubles(double* sum) {
    __shared__ double of_block;
    if (threadIdx.x == 0) of_block = 0;
    __syncthreads();
    add_double(&of_block, threadIdx.x);
    __syncthreads();
    if (threadIdx.x == 0) add_double(sum, of_block);
}
void double_sum_by_compare_and_swap() {
    sum_doubles<<<8, 128>>>(zeroed<double>(1));
    cudaDeviceSynchronize();
}

// CASE float_maximum_by_compare_and_swap
__device__ float atomic_max(float* address, float value) {
    int* bits = reinterpret_cast<int*>(address);
    int old = *bits, assumed;
    do {
        assumed = old;
        old = atomicCAS(bits, assumed, __float_as_int(fmaxf(value, __int_as_float(assumed))));
    } while (assumed != old);
    return __int_as_float(old);
}
__global__ void maximum(float* most, float* before) {
    before[blockIdx.x * blockDim.x + threadIdx.x] = atomic_max(most, threadIdx.x * 0.5f + blockIdx.x);
}
void float_maximum_by_compare_and_swap() {
    maximum<<<4, 64>>>(zeroed<float>(1), raw<float>(256));
    cudaDeviceSynchronize();
}

// CASE bytes_by_compare_and_swap
/// Adds to one byte of a word.
__device__ void add_to_byte(unsigned* word, unsigned byte, unsigned value) {
    unsigned old = *word, assumed;
    do {
        assumed = old;
        const unsigned sum = ((assumed >> 8 * byte) + value) & 0xff;
        old = atomicCAS(word, assumed, (assumed & ~(0xffu << 8 * byte)) | sum << 8 * byte);
    } while (assumed != old);
}
__global__ void add_bytes(unsigned* words) { add_to_byte(words + threadIdx.x % 2, threadIdx.x % 4, 1); }
void bytes_by_compare_and_swap() {
    add_bytes<<<4, 64>>>(zeroed<unsigned>(2));
    cudaDeviceSynchronize();
}

// CASE seed_read_again_in_each_round
__global__ void multiply_all(int* product, int factor) {
    int seen;
    do {
        seen = *product;
    } while (atomicCAS(product, seen, seen * factor) != seen);
}
void seed_read_again_in_each_round() {
    multiply_all<<<2, 8>>>(counted<int>(1), 3);
    cudaDeviceSynchronize();
}

// CASE last_block_sums_up
__device__ unsigned blocks_done = 0;
__global__ void sum_with_fence(const float* in, int n, volatile float* partial, float* total) {
    __shared__ bool is_last;
    __shared__ float s[128];
    float mine = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) mine += in[i];
    s[threadIdx.x] = mine;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) s[threadIdx.x] += s[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = s[0];
        __threadfence();
        is_last = atomicInc(&blocks_done, gridDim.x) == gridDim.x - 1;
    }
    __syncthreads();
    if (is_last && threadIdx.x == 0) {
        float sum = 0;
        for (int b = 0; b < gridDim.x; ++b) sum += partial[b];
        *total = sum;
        blocks_done = 0;
    }
}
void last_block_sums_up() {
    sum_with_fence<<<6, 128>>>(counted<float>(4096), 4096, raw<float>(6), raw<float>(1));
    cudaDeviceSynchronize();
}

// CASE tiled_product
__global__ void product(const float* a, const float* b, float* c, int n) {
    __shared__ float left[16][16], right[16][16];
    const int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
    float sum = 0;
    for (int tile = 0; tile < n / 16; ++tile) {
        left[threadIdx.y][threadIdx.x] = a[row * n + tile * 16 + threadIdx.x];
        right[threadIdx.y][threadIdx.x] = b[(tile * 16 + threadIdx.y) * n + column];
        __syncthreads();
        for (int k = 0; k < 16; ++k) sum += left[threadIdx.y][k] * right[k][threadIdx.x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}
void tiled_product() {
    product<<<dim3(4, 4), dim3(16, 16)>>>(counted<float>(4096), counted<float>(4096), raw<float>(4096), 64);
    cudaDeviceSynchronize();
}

// CASE arrive_and_wait
__global__ void arrive_and_wait_kernel(int* data) {
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    __shared__ int s[128];
    auto block = cg::this_thread_block();
    if (block.thread_rank() == 0) init(&bar, block.size());
    block.sync();
    for (int round = 0; round < 4; ++round) {
        s[threadIdx.x] = data[threadIdx.x] + round;
        bar.arrive_and_wait();
        data[threadIdx.x] = s[127 - threadIdx.x];
        bar.arrive_and_wait();
    }
}
void arrive_and_wait() {
    arrive_and_wait_kernel<<<1, 128>>>(counted<int>(128));
    cudaDeviceSynchronize();
}

// CASE arrive_then_wait
__global__ void arrive_then_wait_kernel(int* data) {
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    __shared__ int s[128];
    if (threadIdx.x == 0) init(&bar, blockDim.x);
    __syncthreads();
    s[threadIdx.x] = data[threadIdx.x];
    auto token = bar.arrive();
    const int own = data[threadIdx.x] * 2;
    bar.wait(cuda::std::move(token));
    data[threadIdx.x] = own + s[(threadIdx.x + 1) % 128];
}
void arrive_then_wait() {
    arrive_then_wait_kernel<<<1, 128>>>(counted<int>(128));
    cudaDeviceSynchronize();
}

// CASE producers_and_consumers
/// Half of the warps fill two buffers, the other half empty them.
__global__ void hand_over(const int* in, int* out, int rounds) {
    using barrier = cuda::barrier<cuda::thread_scope_block>;
    __shared__ int buffer[2][64];
    __shared__ barrier ready[2], filled[2];
    if (threadIdx.x < 2) {
        init(&ready[threadIdx.x], blockDim.x);
        init(&filled[threadIdx.x], blockDim.x);
    }
    __syncthreads();
    const int t = threadIdx.x % 64;
    if (threadIdx.x < 64) {
        for (int r = 0; r < rounds; ++r) {
            ready[r % 2].arrive_and_wait();
            buffer[r % 2][t] = in[r * 64 + t];
            (void)filled[r % 2].arrive();
        }
    } else {
        (void)ready[0].arrive();
        (void)ready[1].arrive();
        for (int r = 0; r < rounds; ++r) {
            filled[r % 2].arrive_and_wait();
            out[r * 64 + t] = buffer[r % 2][63 - t];
            (void)ready[r % 2].arrive();
        }
    }
}
void producers_and_consumers() {
    hand_over<<<1, 128>>>(counted<int>(64 * 6), raw<int>(64 * 6), 6);
    cudaDeviceSynchronize();
}

// CASE copy_by_a_group
__global__ void staged(int* out, const int* in, int batches) {
    extern __shared__ int s[];
    auto block = cg::this_thread_block();
    for (int b = 0; b < batches; ++b) {
        cg::memcpy_async(block, s, in + b * block.size(), sizeof(int) * block.size());
        cg::wait(block);
        out[b * block.size() + block.thread_rank()] = s[block.size() - 1 - block.thread_rank()];
        block.sync();
    }
}
void copy_by_a_group() {
    staged<<<1, 64, 64 * sizeof(int)>>>(raw<int>(256), counted<int>(256), 4);
    cudaDeviceSynchronize();
}

// CASE copy_with_a_barrier
__global__ void staged_with_barrier(int* out, const int* in, int batches) {
    extern __shared__ int s[];
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    auto block = cg::this_thread_block();
    if (block.thread_rank() == 0) init(&bar, block.size());
    block.sync();
    for (int b = 0; b < batches; ++b) {
        cuda::memcpy_async(block, s, in + b * block.size(), sizeof(int) * block.size(), bar);
        bar.arrive_and_wait();
        out[b * block.size() + block.thread_rank()] = s[block.size() - 1 - block.thread_rank()];
        bar.arrive_and_wait();
    }
}
void copy_with_a_barrier() {
    staged_with_barrier<<<1, 64, 64 * sizeof(int)>>>(raw<int>(256), counted<int>(256), 4);
    cudaDeviceSynchronize();
}

// CASE copy_of_each_thread_with_a_barrier
__global__ void own_copies(int* out, const int* in) {
    __shared__ int s[64];
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    if (threadIdx.x == 0) init(&bar, blockDim.x);
    __syncthreads();
    cuda::memcpy_async(s + threadIdx.x, in + threadIdx.x, cuda::aligned_size_t<4>(4), bar);
    bar.arrive_and_wait();
    out[threadIdx.x] = s[63 - threadIdx.x];
}
void copy_of_each_thread_with_a_barrier() {
    own_copies<<<1, 64>>>(raw<int>(64), counted<int>(64));
    cudaDeviceSynchronize();
}

// CASE copies_arrive_by_instruction
__device__ unsigned shared_address(const void* p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }
__device__ void wait_for_phase(const void* barrier, unsigned phase) {
    int done = 0;
    while (!done)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.s32 %0, 1, 0, p; }"
                     : "=r"(done)
                     : "r"(shared_address(barrier)), "r"(phase)
                     : "memory");
}
template <bool Counted>
__global__ void copies_arrive(int* out, const int* in) {
    __shared__ alignas(16) int s[64];
    __shared__ alignas(8) unsigned long long bar;
    const int t = threadIdx.x;
    if (t == 0) asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(shared_address(&bar)), "r"(64) : "memory");
    __syncthreads();
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(shared_address(s + t)), "l"(in + t) : "memory");
    if (Counted) {
        asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(shared_address(&bar)) : "memory");
    } else {
        asm volatile("cp.async.mbarrier.arrive.shared.b64 [%0];" ::"r"(shared_address(&bar)) : "memory");
        unsigned long long state;
        asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(shared_address(&bar)) : "memory");
    }
    wait_for_phase(&bar, 0);
    out[t] = s[63 - t];
}
void copies_arrive_by_instruction() {
    copies_arrive<true><<<1, 64>>>(raw<int>(64), counted<int>(64));
    copies_arrive<false><<<1, 64>>>(raw<int>(64), counted<int>(64));
    cudaDeviceSynchronize();
}

// CASE bulk_copy_in_and_out
/// One thread announces the bytes before or after it asks for them; all wait.
template <bool AnnouncedFirst>
__global__ void bulk(int* data) {
    __shared__ alignas(128) int s[256];
    __shared__ alignas(8) unsigned long long bar;
    int* const mine = data + blockIdx.x * 256;
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(shared_address(&bar)) : "memory");
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    }
    __syncthreads();
    const auto announce = [&] {
        unsigned long long state;
        asm volatile("mbarrier.arrive.expect_tx.shared.b64 %0, [%1], 1024;" : "=l"(state) : "r"(shared_address(&bar)) : "memory");
    };
    if (threadIdx.x == 0) {
        if (AnnouncedFirst) announce();
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 1024, [%2];" ::"r"(shared_address(s)),
                     "l"(mine), "r"(shared_address(&bar))
                     : "memory");
        if (!AnnouncedFirst) announce();
    }
    wait_for_phase(&bar, 0);
    for (int i = threadIdx.x; i < 256; i += blockDim.x) s[i] += 1;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 1024;" ::"l"(mine), "r"(shared_address(s)) : "memory");
        asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
    }
}
void bulk_copy_in_and_out() {
    bulk<true><<<3, 64>>>(counted<int>(768));
    bulk<false><<<3, 64>>>(counted<int>(768));
    cudaDeviceSynchronize();
}

// CASE pipeline_of_two_stages
__global__ void two_stages(int* out, const int* in, int batches) {
    __shared__ int s[2][64];
    const int t = threadIdx.x;
    __pipeline_memcpy_async(&s[0][t], in + t, 4);
    __pipeline_commit();
    for (int b = 0; b < batches; ++b) {
        if (b + 1 < batches) __pipeline_memcpy_async(&s[(b + 1) % 2][t], in + (b + 1) * 64 + t, 4);
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        out[b * 64 + t] = s[b % 2][63 - t];
        __syncthreads();
    }
}
void pipeline_of_two_stages() {
    two_stages<<<1, 64>>>(raw<int>(320), counted<int>(320), 5);
    cudaDeviceSynchronize();
}

// CASE pipeline_of_the_block
__global__ void block_pipeline(int* out, const int* in, int batches) {
    __shared__ int s[2][64];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    auto block = cg::this_thread_block();
    auto pipeline = cuda::make_pipeline(block, &state);
    int next = 0;
    for (int b = 0; b < batches; ++b) {
        for (; next < batches && next < b + 2; ++next) {
            pipeline.producer_acquire();
            cuda::memcpy_async(block, s[next % 2], in + next * 64, sizeof(int) * 64, pipeline);
            pipeline.producer_commit();
        }
        pipeline.consumer_wait();
        out[b * 64 + threadIdx.x] = s[b % 2][63 - threadIdx.x];
        pipeline.consumer_release();
    }
}
void pipeline_of_the_block() {
    block_pipeline<<<1, 64>>>(raw<int>(320), counted<int>(320), 5);
    cudaDeviceSynchronize();
}

// CASE tiles_reduce
template <class Tile>
__device__ int reduce_tile(const Tile& tile, int value) {
    for (int offset = tile.size() / 2; offset > 0; offset /= 2) value += tile.shfl_down(value, offset);
    return value;
}
__global__ void sum_by_tiles(const int* in, int* sum) {
    auto block = cg::this_thread_block();
    const int value = in[block.thread_rank()];
    auto warp = cg::tiled_partition<32>(block);
    const int total = reduce_tile(warp, value);
    if (warp.thread_rank() == 0) atomicAdd(sum, total);
    auto eight = cg::tiled_partition<8>(warp);
    const int of_eight = cg::reduce(eight, value, cg::plus<int>());
    if (eight.thread_rank() == 0) atomicAdd(sum + 1, of_eight);
    const int before = cg::exclusive_scan(eight, value);
    atomicMax(sum + 2, before);
}
void tiles_reduce() {
    sum_by_tiles<<<1, 128>>>(counted<int>(128), zeroed<int>(3));
    cudaDeviceSynchronize();
}

// CASE aggregated_increments
__device__ int increment(int* counter) {
    auto active = cg::coalesced_threads();
    int begin = 0;
    if (active.thread_rank() == 0) begin = atomicAdd(counter, active.size());
    return active.shfl(begin, 0) + active.thread_rank();
}
__global__ void keep_odd(const int* in, int* out, int* count, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && in[i] % 2) out[increment(count)] = in[i];
}
void aggregated_increments() {
    keep_odd<<<4, 64>>>(counted<int>(250), raw<int>(250), zeroed<int>(1), 250);
    cudaDeviceSynchronize();
}

// CASE grid_in_phases
__global__ void smooth(float* a, float* b, int n, int rounds) {
    auto grid = cg::this_grid();
    for (int r = 0; r < rounds; ++r) {
        for (int i = grid.thread_rank(); i < n; i += grid.size())
            b[i] = (a[(i + n - 1) % n] + a[i] + a[(i + 1) % n]) / 3;
        grid.sync();
        for (int i = grid.thread_rank(); i < n; i += grid.size()) a[i] = b[i];
        grid.sync();
    }
}
void grid_in_phases() {
    float *a = counted<float>(500), *b = raw<float>(500);
    int n = 500, rounds = 3;
    void* arguments[] = {&a, &b, &n, &rounds};
    cudaLaunchCooperativeKernel(reinterpret_cast<void*>(smooth), dim3(4), dim3(64), arguments, 0, 0);
    cudaDeviceSynchronize();
}

// CASE cluster_histogram
__global__ void __cluster_dims__(2, 1, 1) count_in_cluster(const int* in, int n, int* bins) {
    __shared__ int mine[32];
    auto cluster = cg::this_cluster();
    for (int i = threadIdx.x; i < 32; i += blockDim.x) mine[i] = 0;
    cluster.sync();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const int bin = in[i] % 64;
        atomicAdd(cluster.map_shared_rank(mine, bin / 32) + bin % 32, 1);
    }
    cluster.sync();
    for (int i = threadIdx.x; i < 32; i += blockDim.x) atomicAdd(bins + 32 * cluster.block_rank() + i, mine[i]);
}
void cluster_histogram() {
    count_in_cluster<<<4, 64>>>(counted<int>(1000), 1000, zeroed<int>(64));
    cudaDeviceSynchronize();
}

// CASE stores_to_the_other_block
__global__ void __cluster_dims__(2, 1, 1) store_to_other(int* out) {
    __shared__ int got[32];
    __shared__ alignas(8) unsigned long long bar;
    auto cluster = cg::this_cluster();
    if (threadIdx.x == 0) {
        unsigned long long state;
        asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(shared_address(&bar)) : "memory");
        asm volatile("mbarrier.arrive.expect_tx.shared.b64 %0, [%1], 128;" : "=l"(state) : "r"(shared_address(&bar)) : "memory");
    }
    cluster.sync();
    unsigned there, bar_there;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(shared_address(got + threadIdx.x)), "r"(cluster.block_rank() ^ 1));
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(bar_there) : "r"(shared_address(&bar)), "r"(cluster.block_rank() ^ 1));
    asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];" ::"r"(there), "r"(threadIdx.x), "r"(bar_there) : "memory");
    wait_for_phase(&bar, 0);
    out[blockIdx.x * 32 + threadIdx.x] = got[31 - threadIdx.x];
    cluster.sync();
}
void stores_to_the_other_block() {
    store_to_other<<<2, 32>>>(raw<int>(64));
    cudaDeviceSynchronize();
}

// CASE atomic_flag_with_order
__global__ void message(int* data, int* flag, int* out) {
    cuda::atomic_ref<int, cuda::thread_scope_device> ready(*flag);
    if (blockIdx.x == 0) {
        data[threadIdx.x] = 7 * threadIdx.x;
        __syncthreads();
        if (threadIdx.x == 0) ready.store(1, cuda::std::memory_order_release);
    } else {
        if (threadIdx.x == 0)
            while (ready.load(cuda::std::memory_order_acquire) == 0) {
            }
        __syncthreads();
        out[threadIdx.x] = data[63 - threadIdx.x];
    }
}
void atomic_flag_with_order() {
    message<<<2, 64>>>(raw<int>(64), zeroed<int>(1), raw<int>(64));
    cudaDeviceSynchronize();
}

// CASE spin_lock_with_fences
__global__ void add_in_turn(int* lock, int* sum) {
    if (threadIdx.x == 0) {
        while (atomicCAS(lock, 0, 1) != 0) {
        }
        __threadfence();
        *sum += blockIdx.x;
        __threadfence();
        atomicExch(lock, 0);
    }
}
void spin_lock_with_fences() {
    add_in_turn<<<16, 32>>>(zeroed<int>(1), zeroed<int>(1));
    cudaDeviceSynchronize();
}

// CASE warps_synchronize_in_part
__global__ void halves(int* out) {
    __shared__ int s[64];
    const int t = threadIdx.x;
    const unsigned half = t % 32 < 16 ? 0xffffu : 0xffff0000u;
    s[t] = t;
    __syncwarp(half);
    out[t] = s[t ^ 5];
    __syncwarp(half);
    const int sum = __reduce_add_sync(half, out[t]);
    if (t % 16 == 0) s[t] = sum;
    __syncwarp(half);
    out[t] += s[t / 16 * 16];
}
void warps_synchronize_in_part() {
    halves<<<1, 64>>>(raw<int>(64));
    cudaDeviceSynchronize();
}

// CASE named_barriers
__global__ void hand_over_by_name(int* out) {
    __shared__ int s[32];
    const int t = threadIdx.x % 32;
    if (threadIdx.x < 32) {
        s[t] = 3 * t;
        asm volatile("bar.arrive 1, 64;" ::: "memory");
    } else {
        asm volatile("bar.sync 1, 64;" ::: "memory");
        out[t] = s[31 - t];
    }
}
void named_barriers() {
    hand_over_by_name<<<1, 64>>>(raw<int>(32));
    cudaDeviceSynchronize();
}

int main() {
    double_sum_by_compare_and_swap();
    float_maximum_by_compare_and_swap();
    bytes_by_compare_and_swap();
    seed_read_again_in_each_round();
    last_block_sums_up();
    tiled_product();
    arrive_and_wait();
    arrive_then_wait();
    producers_and_consumers();
    copy_by_a_group();
    copy_with_a_barrier();
    copy_of_each_thread_with_a_barrier();
    copies_arrive_by_instruction();
    bulk_copy_in_and_out();
    pipeline_of_two_stages();
    pipeline_of_the_block();
    tiles_reduce();
    aggregated_increments();
    grid_in_phases();
    cluster_histogram();
    stores_to_the_other_block();
    atomic_flag_with_order();
    spin_lock_with_fences();
    warps_synchronize_in_part();
    named_barriers();
}
