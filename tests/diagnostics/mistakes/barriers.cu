#include "cases.h"

// CASE return_before_barrier
__global__ void return_k(int* d, int n) {
    __shared__ int s[64];
    int t = threadIdx.x;
    if (t >= n) return;
    s[t] = d[t];
    __syncthreads();  // FIND barrier-exited
    d[t] = s[n - 1 - t];
}
void return_before_barrier() { return_k<<<1, 64>>>(counted(64), 40); }

// CASE barrier_in_both_branches
__global__ void branches_k(int* d) {
    int t = threadIdx.x;
    if (t < 32) {
        d[t] = 1;
        __syncthreads();  // FIND barrier-divergence
    } else {
        d[t] = 2;
        __syncthreads();
    }
}
void barrier_in_both_branches() { branches_k<<<1, 64>>>(zeroed<int>(64)); }

// CASE barrier_for_one_warp
__global__ void one_warp_k(int* d) {
    int t = threadIdx.x;
    if (t < 32) {
        d[t] = t;
        __syncthreads();  // FIND barrier-exited
        d[t] += d[31 - t];  // ALSO global-race
    }
}
void barrier_for_one_warp() { one_warp_k<<<1, 64>>>(zeroed<int>(64)); }

// CASE loops_of_different_length
__global__ void loops_k(int* d) {
    int t = threadIdx.x;
    for (int i = 0; i <= t / 32; ++i) {
        d[t] += i;
        __syncthreads();  // FIND barrier-exited
    }
}
void loops_of_different_length() { loops_k<<<1, 64>>>(zeroed<int>(64)); }

// CASE rows_beyond_the_matrix
__global__ void tiled_k(const float* a, float* out, int n) {
    __shared__ float tile[16][16];
    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.x * 16 + y;
    if (row >= n) return;
    tile[y][x] = a[row * 16 + x];
    __syncthreads();  // FIND barrier-exited
    out[row * 16 + x] = tile[y][15 - x];
}
void rows_beyond_the_matrix() { tiled_k<<<2, dim3(16, 16)>>>(counted<float>(320), zeroed<float>(320), 20); }

// CASE syncwarp_mask_of_others
__global__ void syncwarp_k(int* d) {
    if (threadIdx.x < 4) __syncwarp(1);  // FIND mask-without-caller
    d[threadIdx.x] = 1;
}
void syncwarp_mask_of_others() { syncwarp_k<<<1, 32>>>(zeroed<int>(32)); }

// CASE shuffle_from_idle_lane
__global__ void idle_k(int* d) {
    int t = threadIdx.x;
    if (t < 16) d[t] = __shfl_sync(0xffff, t, 20);  // FIND shuffle-source
}
void shuffle_from_idle_lane() { idle_k<<<1, 32>>>(zeroed<int>(32)); }

// CASE butterfly_of_half_a_warp
__global__ void butterfly_k(int* d) {
    int t = threadIdx.x, v = t;
    if (t < 16) {
        for (int o = 16; o > 0; o /= 2) v += __shfl_xor_sync(0xffff, v, o);  // FIND shuffle-source
        d[t] = v;
    }
}
void butterfly_of_half_a_warp() { butterfly_k<<<1, 32>>>(zeroed<int>(32)); }

// CASE reduction_after_return
__global__ void returned_k(int* d, int n) {
    int t = threadIdx.x, v = t;
    if (t >= n) return;
    for (int o = 16; o > 0; o /= 2) v += __shfl_down_sync(0xffffffff, v, o);  // FIND shuffle-source
    if (t == 0) *d = v;
}
void reduction_after_return() { returned_k<<<1, 32>>>(zeroed<int>(32), 10); }

// CASE ballot_with_wrong_mask
__global__ void ballot_k(int* d) {
    int t = threadIdx.x;
    if (t % 2) d[t] = __ballot_sync(2, t > 4);  // FIND mask-without-caller
}
void ballot_with_wrong_mask() { ballot_k<<<1, 32>>>(zeroed<int>(32)); }

// CASE broadcast_without_the_source
__global__ void source_k(int* d) {
    int t = threadIdx.x;
    if (t != 0) d[t] = __shfl_sync(0xfffffffe, t, 0);  // FIND shuffle-source
}
void broadcast_without_the_source() { source_k<<<1, 32>>>(zeroed<int>(32)); }

// CASE block_of_48
__global__ void partial_warp_k(int* d) {
    int t = threadIdx.x, v = 1;
    for (int o = 16; o > 0; o /= 2) v += __shfl_down_sync(0xffffffff, v, o);  // FIND shuffle-source
    if (t % 32 == 0) d[t / 32] = v;
}
void block_of_48() { partial_warp_k<<<1, 48>>>(zeroed<int>(2)); }

// CASE reduce_add_mask
__global__ void reduce_add_k(unsigned* d) {
    if (threadIdx.x < 8) d[threadIdx.x] = __reduce_add_sync(0xf, threadIdx.x);  // FIND mask-without-caller
}
void reduce_add_mask() { reduce_add_k<<<1, 32>>>(zeroed<unsigned>(32)); }

// CASE barrier_in_a_switch
__global__ void switch_k(int* d) {
    switch (threadIdx.x / 32) {
        case 0:
            d[threadIdx.x] = 5;
            __syncthreads();  // FIND barrier-divergence
            d[threadIdx.x] = 6;
            break;
        default:
            __syncthreads();
            d[threadIdx.x] = 7;
    }
}
void barrier_in_a_switch() { switch_k<<<1, 64>>>(zeroed<int>(64)); }

// CASE any_of_a_lost_lane
__global__ void any_k(int* d) {
    if (threadIdx.x < 8) d[threadIdx.x] = __any_sync(0x7, threadIdx.x == 7);  // FIND mask-without-caller
}
void any_of_a_lost_lane() { any_k<<<1, 32>>>(zeroed<int>(32)); }

// CASE mbarrier_without_init
__global__ void no_init_k(int* out) {
    __shared__ unsigned long long b;
    unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(&b));
    asm volatile("{ .reg .b64 s; mbarrier.arrive.shared.b64 s, [%0]; }" ::"r"(at) : "memory");  // FIND mbarrier-not-initialized
    *out = 1;
}
void mbarrier_without_init() { no_init_k<<<1, 1>>>(zeroed<int>(1)); }

// CASE mbarrier_init_without_barrier
__global__ void late_init_k(int* out) {
    __shared__ unsigned long long b;
    __shared__ int s;
    unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(&b));
    if (threadIdx.x == 32) asm volatile("mbarrier.init.shared.b64 [%0], 64;" ::"r"(at) : "memory");
    asm volatile("{ .reg .b64 s; mbarrier.arrive.shared.b64 s, [%0]; }" ::"r"(at) : "memory");  // FIND mbarrier-not-initialized
    if (threadIdx.x == 0) s = 1;
    __syncthreads();
    out[threadIdx.x] = s;
}
void mbarrier_init_without_barrier() { late_init_k<<<1, 64>>>(zeroed<int>(64)); }

int main() {
    mbarrier_without_init();
    mbarrier_init_without_barrier();
    return_before_barrier();
    barrier_in_both_branches();
    barrier_for_one_warp();
    loops_of_different_length();
    rows_beyond_the_matrix();
    syncwarp_mask_of_others();
    shuffle_from_idle_lane();
    butterfly_of_half_a_warp();
    reduction_after_return();
    ballot_with_wrong_mask();
    broadcast_without_the_source();
    block_of_48();
    reduce_add_mask();
    barrier_in_a_switch();
    any_of_a_lost_lane();
    return cudaDeviceSynchronize();
}
