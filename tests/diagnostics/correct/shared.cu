#include "cases.h"

// CASE reverse
__global__ void reverse_k(int* d) {
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = d[t];
    __syncthreads();
    d[t] = s[63 - t];
}
void reverse() { reverse_k<<<1, 64>>>(counted(64)); }

// CASE reverse_in_dynamic_memory
__global__ void dynamic_k(int* d, int n) {
    extern __shared__ int dynamic[];
    int t = threadIdx.x;
    dynamic[t] = d[t];
    __syncthreads();
    d[t] = dynamic[n - t - 1];
}
void reverse_in_dynamic_memory() { dynamic_k<<<1, 64, 256>>>(counted(64), 64); }

// CASE three_arrays_in_dynamic_memory
__global__ void three_k(int* d) {
    extern __shared__ int three[];
    int* a = three;
    float* b = (float*)&a[64];
    char* c = (char*)&b[64];
    int t = threadIdx.x;
    a[t] = d[t], b[t] = d[t], c[t] = d[t];
    __syncthreads();
    d[t] = a[63 - t] + int(b[63 - t]) + c[63 - t];
}
void three_arrays_in_dynamic_memory() { three_k<<<1, 64, 64 * 9>>>(counted(64)); }

// CASE reduction_interleaved
__global__ void reduce1_k(const int* in, int* out) {
    __shared__ int s[128];
    int t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    for (int h = 1; h < 128; h *= 2) {
        if (t % (2 * h) == 0) s[t] += s[t + h];
        __syncthreads();
    }
    if (t == 0) *out = s[0];
}
void reduction_interleaved() { reduce1_k<<<1, 128>>>(counted(128), zeroed<int>(1)); }

// CASE reduction_strided_index
__global__ void reduce2_k(const int* in, int* out) {
    __shared__ int s[128];
    int t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    for (int h = 1; h < 128; h *= 2) {
        int i = 2 * h * t;
        if (i < 128) s[i] += s[i + h];
        __syncthreads();
    }
    if (t == 0) *out = s[0];
}
void reduction_strided_index() { reduce2_k<<<1, 128>>>(counted(128), zeroed<int>(1)); }

// CASE reduction_sequential
__global__ void reduce3_k(const int* in, int* out) {
    __shared__ int s[256];
    int t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    for (int h = 128; h > 0; h >>= 1) {
        if (t < h) s[t] += s[t + h];
        __syncthreads();
    }
    if (t == 0) *out = s[0];
}
void reduction_sequential() { reduce3_k<<<1, 256>>>(counted(256), zeroed<int>(1)); }

// CASE reduction_first_add_during_load
__global__ void reduce4_k(const int* in, int* out) {
    __shared__ int s[64];
    int t = threadIdx.x, i = blockIdx.x * 128 + t;
    s[t] = in[i] + in[i + 64];
    __syncthreads();
    for (int h = 32; h > 0; h >>= 1) {
        if (t < h) s[t] += s[t + h];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = s[0];
}
void reduction_first_add_during_load() { reduce4_k<<<2, 64>>>(counted(256), zeroed<int>(2)); }

// CASE reduction_last_warp_with_syncwarp
__global__ void reduce5_k(const int* in, int* out) {
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    if (t < 32) {
        int v = s[t] + s[t + 32];
        __syncwarp();
        for (int h = 16; h > 0; h /= 2) {
            s[t] = v;
            __syncwarp();
            v += s[(t + h) % 32];
            __syncwarp();
        }
        if (t == 0) *out = v;
    }
}
void reduction_last_warp_with_syncwarp() { reduce5_k<<<1, 64>>>(counted(64), zeroed<int>(1)); }

// CASE reduction_unrolled_with_syncwarp
__global__ void reduce6_k(const int* in, int* out) {
    __shared__ volatile int s[64];
    int t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    if (t < 32) {
        int v = s[t];
        v += s[t + 32]; __syncwarp(); s[t] = v; __syncwarp();
        v += s[t + 16]; __syncwarp(); s[t] = v; __syncwarp();
        v += s[t + 8]; __syncwarp(); s[t] = v; __syncwarp();
        v += s[t + 4]; __syncwarp(); s[t] = v; __syncwarp();
        v += s[t + 2]; __syncwarp(); s[t] = v; __syncwarp();
        v += s[t + 1]; __syncwarp(); s[t] = v; __syncwarp();
        if (t == 0) *out = s[0];
    }
}
void reduction_unrolled_with_syncwarp() { reduce6_k<<<1, 64>>>(counted(64), zeroed<int>(1)); }

// CASE reduction_by_shuffles
__global__ void reduce7_k(const int* in, int* out) {
    __shared__ int s[8];
    int t = threadIdx.x, lane = t % 32, warp = t / 32, v = in[t];
    for (int o = 16; o > 0; o /= 2) v += __shfl_down_sync(0xffffffff, v, o);
    if (lane == 0) s[warp] = v;
    __syncthreads();
    if (warp == 0) {
        v = lane < 8 ? s[lane] : 0;
        for (int o = 4; o > 0; o /= 2) v += __shfl_down_sync(0xffffffff, v, o);
        if (lane == 0) *out = v;
    }
}
void reduction_by_shuffles() { reduce7_k<<<1, 256>>>(counted(256), zeroed<int>(1)); }

// CASE reduction_of_half_a_warp
__global__ void reduce8_k(const int* in, int* out) {
    int t = threadIdx.x, v = in[t];
    if (t < 16) {
        for (int o = 8; o > 0; o /= 2) v += __shfl_down_sync(0xffff, v, o);
        if (t == 0) *out = v;
    }
}
void reduction_of_half_a_warp() { reduce8_k<<<1, 32>>>(counted(32), zeroed<int>(1)); }

// CASE tiled_product
__global__ void product_k(const float* a, const float* b, float* c, int n) {
    __shared__ float as[16][16], bs[16][16];
    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 16 + y, column = blockIdx.x * 16 + x;
    float sum = 0;
    for (int m = 0; m < n / 16; ++m) {
        as[y][x] = a[row * n + m * 16 + x];
        bs[y][x] = b[(m * 16 + y) * n + column];
        __syncthreads();
        for (int k = 0; k < 16; ++k) sum += as[y][k] * bs[k][x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}
void tiled_product() {
    product_k<<<dim3(2, 2), dim3(16, 16)>>>(counted<float>(1024), counted<float>(1024), raw<float>(1024), 32);
}

// CASE tiled_product_with_edges
__global__ void edges_k(const float* a, const float* b, float* c, int n) {
    __shared__ float as[16][16], bs[16][16];
    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 16 + y, column = blockIdx.x * 16 + x;
    float sum = 0;
    for (int m = 0; m < (n + 15) / 16; ++m) {
        as[y][x] = row < n && m * 16 + x < n ? a[row * n + m * 16 + x] : 0;
        bs[y][x] = column < n && m * 16 + y < n ? b[(m * 16 + y) * n + column] : 0;
        __syncthreads();
        for (int k = 0; k < 16; ++k) sum += as[y][k] * bs[k][x];
        __syncthreads();
    }
    if (row < n && column < n) c[row * n + column] = sum;
}
void tiled_product_with_edges() {
    edges_k<<<dim3(2, 2), dim3(16, 16)>>>(counted<float>(400), counted<float>(400), raw<float>(400), 20);
}

// CASE transpose_with_padding
__global__ void transpose_k(const float* in, float* out, int n) {
    __shared__ float tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8) out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}
void transpose_with_padding() {
    transpose_k<<<dim3(2, 2), dim3(32, 8)>>>(counted<float>(4096), raw<float>(4096), 64);
}

// CASE double_buffer
__global__ void buffers_k(int* d, int steps) {
    __shared__ int s[2][64];
    int t = threadIdx.x, at = 0;
    s[0][t] = d[t];
    __syncthreads();
    for (int i = 0; i < steps; ++i) {
        s[1 - at][t] = s[at][(t + 1) % 64] + 1;
        at = 1 - at;
        __syncthreads();
    }
    d[t] = s[at][t];
}
void double_buffer() { buffers_k<<<1, 64>>>(counted(64), 5); }

// CASE scan_with_two_buffers
__global__ void scan_k(int* d) {
    __shared__ int s[2][128];
    int t = threadIdx.x, at = 0;
    s[0][t] = d[t];
    __syncthreads();
    for (int o = 1; o < 128; o *= 2) {
        s[1 - at][t] = s[at][t] + (t >= o ? s[at][t - o] : 0);
        at = 1 - at;
        __syncthreads();
    }
    d[t] = s[at][t];
}
void scan_with_two_buffers() { scan_k<<<1, 128>>>(counted(128)); }

// CASE scan_with_two_barriers
__global__ void scan2_k(int* d) {
    __shared__ int s[128];
    int t = threadIdx.x;
    s[t] = d[t];
    for (int o = 1; o < 128; o *= 2) {
        __syncthreads();
        int v = t >= o ? s[t - o] : 0;
        __syncthreads();
        s[t] += v;
    }
    d[t] = s[t];
}
void scan_with_two_barriers() { scan2_k<<<1, 128>>>(counted(128)); }

// CASE scan_of_blelloch
__global__ void blelloch_k(int* d) {
    __shared__ int s[64];
    int t = threadIdx.x, offset = 1;
    s[2 * t] = d[2 * t], s[2 * t + 1] = d[2 * t + 1];
    for (int n = 32; n > 0; n /= 2) {
        __syncthreads();
        if (t < n) s[offset * (2 * t + 2) - 1] += s[offset * (2 * t + 1) - 1];
        offset *= 2;
    }
    if (t == 0) s[63] = 0;
    for (int n = 1; n < 64; n *= 2) {
        offset /= 2;
        __syncthreads();
        if (t < n) {
            int a = offset * (2 * t + 1) - 1, b = offset * (2 * t + 2) - 1, v = s[a];
            s[a] = s[b], s[b] += v;
        }
    }
    __syncthreads();
    d[2 * t] = s[2 * t], d[2 * t + 1] = s[2 * t + 1];
}
void scan_of_blelloch() { blelloch_k<<<1, 32>>>(counted(64)); }

// CASE scan_by_shuffles
__global__ void shuffle_scan_k(int* d) {
    __shared__ int sums[4];
    int t = threadIdx.x, lane = t % 32, v = d[t];
    for (int o = 1; o < 32; o *= 2) {
        int u = __shfl_up_sync(0xffffffff, v, o);
        if (lane >= o) v += u;
    }
    if (lane == 31) sums[t / 32] = v;
    __syncthreads();
    for (int w = 0; w < t / 32; ++w) v += sums[w];
    d[t] = v;
}
void scan_by_shuffles() { shuffle_scan_k<<<1, 128>>>(counted(128)); }

// CASE histogram_with_shared_atomics
__global__ void histogram_k(const int* in, int* out, int n) {
    __shared__ int bins[64];
    for (int b = threadIdx.x; b < 64; b += blockDim.x) bins[b] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&bins[in[i]], 1);
    __syncthreads();
    for (int b = threadIdx.x; b < 64; b += blockDim.x) atomicAdd(&out[b], bins[b]);
}
void histogram_with_shared_atomics() { histogram_k<<<3, 96>>>(counted(1000), zeroed<int>(64), 1000); }

// CASE histogram_per_warp
__global__ void per_warp_k(const int* in, int* out) {
    __shared__ int bins[4][64];
    int t = threadIdx.x, w = t / 32, lane = t % 32;
    bins[w][lane] = bins[w][lane + 32] = 0;
    __syncwarp();
    atomicAdd(&bins[w][in[t]], 1);
    __syncthreads();
    if (t < 64) out[t] = bins[0][t] + bins[1][t] + bins[2][t] + bins[3][t];
}
void histogram_per_warp() { per_warp_k<<<1, 128>>>(counted(128), raw<int>(64)); }

// CASE exchange_within_a_warp
__global__ void exchange_k(int* d) {
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = d[t];
    __syncwarp();
    d[t] = s[t ^ 1];
}
void exchange_within_a_warp() { exchange_k<<<1, 64>>>(counted(64)); }

// CASE halves_of_a_warp
__global__ void halves_k(int* d) {
    __shared__ int s[32];
    int t = threadIdx.x;
    s[t] = d[t];
    if (t < 16) {
        __syncwarp(0x0000ffff);
        d[t] = s[15 - t];
    } else {
        __syncwarp(0xffff0000);
        d[t] = s[47 - t];
    }
}
void halves_of_a_warp() { halves_k<<<1, 32>>>(counted(32)); }

// CASE matrix_column_per_thread
__global__ void own_k(int* d) {
    __shared__ int s[16][64];
    int t = threadIdx.x;
    for (int i = 0; i < 16; ++i) s[i][t] = d[t] + i;
    int sum = 0;
    for (int i = 0; i < 16; ++i) sum += s[15 - i][t];
    d[t] = sum;
}
void matrix_column_per_thread() { own_k<<<1, 64>>>(counted(64)); }

// CASE bytes_side_by_side
__global__ void bytes_k(const int* in, int* out) {
    __shared__ char s[64];
    int t = threadIdx.x;
    s[t] = char(in[t]);
    s[t] += 1;
    __syncthreads();
    out[t] = s[63 - t];
}
void bytes_side_by_side() { bytes_k<<<1, 64>>>(counted(64), raw<int>(64)); }

// CASE stencil_with_halo
__global__ void stencil_k(const int* in, int* out) {
    __shared__ int s[64 + 6];
    int t = threadIdx.x, g = blockIdx.x * 64 + t;
    s[t + 3] = in[g + 3];
    if (t < 3) s[t] = in[g], s[t + 67] = in[g + 67];
    __syncthreads();
    int sum = 0;
    for (int o = -3; o <= 3; ++o) sum += s[t + 3 + o];
    out[g] = sum;
}
void stencil_with_halo() { stencil_k<<<2, 64>>>(counted(134), raw<int>(128)); }

// CASE spin_lock_in_shared_memory
__global__ void lock_k(int* out) {
    __shared__ int lock, total;
    if (threadIdx.x == 0) lock = 0, total = 0;
    __syncthreads();
    for (bool done = false; !done;) {
        if (atomicCAS(&lock, 0, 1) == 0) {
            __threadfence_block();
            total += threadIdx.x;
            __threadfence_block();
            atomicExch(&lock, 0);
            done = true;
        }
    }
    __syncthreads();
    if (threadIdx.x == 0) *out = total;
}
void spin_lock_in_shared_memory() { lock_k<<<1, 64>>>(raw<int>(1)); }

// CASE producer_and_consumer_barriers
__global__ void named_k(const int* in, int* out) {
    __shared__ int s[32];
    int t = threadIdx.x;
    if (t < 32) {
        s[t] = in[t];
        asm volatile("bar.arrive 1, 64;" ::: "memory");
    } else {
        asm volatile("bar.sync 1, 64;" ::: "memory");
        out[t - 32] = s[63 - t];
    }
}
void producer_and_consumer_barriers() { named_k<<<1, 64>>>(counted(32), raw<int>(32)); }

// CASE pairs_of_warps
__global__ void pairs_k(int* d) {
    __shared__ int s[128];
    int t = threadIdx.x, pair = t / 64;
    s[t] = d[t];
    asm volatile("bar.sync %0, 64;" ::"r"(pair + 1) : "memory");
    d[t] = s[pair * 64 + 63 - t % 64];
}
void pairs_of_warps() { pairs_k<<<1, 128>>>(counted(128)); }

// CASE vote_before_the_branch
__global__ void vote_k(const int* in, int* out) {
    int t = threadIdx.x;
    unsigned mask = __ballot_sync(0xffffffff, in[t] > 20);
    if (in[t] > 20) {
        int leader = __ffs(mask) - 1;
        out[t] = __shfl_sync(mask, in[t], leader);
    }
}
void vote_before_the_branch() { vote_k<<<1, 32>>>(counted(32), raw<int>(32)); }

// CASE aggregated_atomics
__global__ void aggregate_k(const int* in, int* out, int* length) {
    int t = threadIdx.x, lane = t % 32;
    if (in[t] % 2) {
        unsigned mask = __activemask();
        int leader = __ffs(mask) - 1, base = 0;
        if (lane == leader) base = atomicAdd(length, __popc(mask));
        base = __shfl_sync(mask, base, leader);
        out[base + __popc(mask & ((1u << lane) - 1))] = in[t];
    }
}
void aggregated_atomics() { aggregate_k<<<1, 64>>>(counted(64), raw<int>(64), zeroed<int>(1)); }

// CASE match_any
__global__ void match_k(const int* in, int* out) {
    int t = threadIdx.x;
    unsigned peers = __match_any_sync(0xffffffff, in[t] % 4);
    if (__ffs(peers) - 1 == t) out[in[t] % 4] = __popc(peers);
}
void match_any() { match_k<<<1, 32>>>(counted(32), zeroed<int>(4)); }

// CASE shuffles_of_width_eight
__global__ void width_k(int* d) {
    int v = d[threadIdx.x];
    for (int o = 4; o > 0; o /= 2) v += __shfl_xor_sync(0xffffffff, v, o, 8);
    d[threadIdx.x] = v;
}
void shuffles_of_width_eight() { width_k<<<1, 32>>>(counted(32)); }

// CASE async_copy
__global__ void copy_k(const int* in, int* out) {
    __shared__ int s[64];
    int t = threadIdx.x;
    unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(&s[t]));
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(in + t));
    asm volatile("cp.async.commit_group;");
    asm volatile("cp.async.wait_group 0;" ::: "memory");
    __syncthreads();
    out[t] = s[63 - t];
}
void async_copy() { copy_k<<<1, 64>>>(counted(64), raw<int>(64)); }

// CASE async_pipeline_of_two
__global__ void pipeline_k(const int* in, int* out, int steps) {
    __shared__ int s[2][64];
    int t = threadIdx.x, sum = 0;
    auto fetch = [&](int step) {
        unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(&s[step % 2][t]));
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(in + step * 64 + t));
        asm volatile("cp.async.commit_group;");
    };
    fetch(0);
    for (int step = 0; step < steps; ++step) {
        if (step + 1 < steps) {
            fetch(step + 1);
            asm volatile("cp.async.wait_group 1;" ::: "memory");
        } else {
            asm volatile("cp.async.wait_group 0;" ::: "memory");
        }
        __syncthreads();
        sum += s[step % 2][63 - t];
        __syncthreads();
    }
    out[t] = sum;
}
void async_pipeline_of_two() { pipeline_k<<<1, 64>>>(counted(256), raw<int>(64), 4); }

// CASE async_copy_of_ones_own
__global__ void own_copy_k(const int* in, int* out) {
    __shared__ int s[64];
    int t = threadIdx.x;
    unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(&s[t]));
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(in + t));
    asm volatile("cp.async.wait_all;" ::: "memory");
    out[t] = s[t];
}
void async_copy_of_ones_own() { own_copy_k<<<1, 64>>>(counted(64), raw<int>(64)); }

// CASE early_exit_without_barriers
__global__ void exit_k(int* d, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    d[i] *= 2;
}
void early_exit_without_barriers() { exit_k<<<2, 64>>>(counted(100), 100); }

// CASE barrier_in_a_uniform_branch
__global__ void uniform_k(int* d, int twice) {
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = d[t];
    if (twice) {
        __syncthreads();
        d[t] = s[63 - t];
    }
}
void barrier_in_a_uniform_branch() { uniform_k<<<1, 64>>>(counted(64), 1); }

// CASE barrier_that_counts
__global__ void counting_k(const int* in, int* out) {
    int n = __syncthreads_count(in[threadIdx.x] > 5);
    int all = __syncthreads_and(in[threadIdx.x] >= 0);
    if (threadIdx.x == 0) *out = n + all + __popc(n);
}
void barrier_that_counts() { counting_k<<<1, 64>>>(counted(64), raw<int>(1)); }

// CASE block_that_is_no_multiple_of_32
__global__ void odd_k(int* d) {
    __shared__ int s[50];
    int t = threadIdx.x;
    s[t] = d[t];
    __syncthreads();
    d[t] = s[49 - t];
}
void block_that_is_no_multiple_of_32() { odd_k<<<1, 50>>>(counted(50)); }

// CASE sort_bitonic
__global__ void bitonic_k(int* d) {
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = d[t];
    for (int k = 2; k <= 64; k *= 2)
        for (int j = k / 2; j > 0; j /= 2) {
            __syncthreads();
            int other = t ^ j;
            if (other > t && (s[t] > s[other]) == ((t & k) == 0)) {
                int v = s[t];
                s[t] = s[other], s[other] = v;
            }
        }
    __syncthreads();
    d[t] = s[t];
}
void sort_bitonic() { bitonic_k<<<1, 64>>>(counted(64)); }

// CASE mbarrier
__global__ void mbarrier_k(int* out) {
    __shared__ unsigned long long b;
    __shared__ int s[64];
    unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(&b));
    if (threadIdx.x == 0) asm volatile("mbarrier.init.shared.b64 [%0], 64;" ::"r"(at) : "memory");
    __syncthreads();
    s[threadIdx.x] = threadIdx.x;
    asm volatile(
        "{ .reg .b64 st; .reg .pred p; mbarrier.arrive.shared.b64 st, [%0];\n"
        "W: mbarrier.test_wait.shared.b64 p, [%0], st; @!p bra W; }" ::"r"(at)
        : "memory");
    out[threadIdx.x] = s[63 - threadIdx.x];
}
void mbarrier() { mbarrier_k<<<1, 64>>>(raw<int>(64)); }

// CASE flag_between_lanes
__global__ void lanes_k(int* out) {
    __shared__ volatile int flag, value;
    if (threadIdx.x == 0) flag = 0;
    __syncwarp();
    if (threadIdx.x % 2) {
        while (flag == 0) {}
        __threadfence_block();
        out[threadIdx.x] = value;
    } else {
        if (threadIdx.x == 16) value = 42, __threadfence_block(), flag = 1;
        out[threadIdx.x] = 1;
    }
}
void flag_between_lanes() { lanes_k<<<1, 32>>>(raw<int>(32)); }

// CASE arrays_of_two_kernels
extern __shared__ int keys_of_one[];
extern __shared__ float sums_of_other[];
__global__ void keys_k(int* out) {
    keys_of_one[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = keys_of_one[63 - threadIdx.x];
}
__global__ void sums_k(float* out) {
    int* counts = (int*)&sums_of_other[blockDim.x];
    sums_of_other[threadIdx.x] = 1;
    counts[threadIdx.x] = 2;
    __syncthreads();
    out[threadIdx.x] = sums_of_other[63 - threadIdx.x] + counts[63 - threadIdx.x];
}
void arrays_of_two_kernels() {
    keys_k<<<1, 64, 64 * sizeof(int)>>>(raw<int>(64));
    sums_k<<<1, 64, 64 * (sizeof(int) + sizeof(float))>>>(raw<float>(64));
}

// CASE cleared_and_counted_by_oneself
__global__ void own_counter_k(int* out) {
    __shared__ int counts[64];
    const int t = threadIdx.x;
    counts[t] = 0;
    atomicAdd(&counts[t], t);
    __syncthreads();
    atomicAdd(&counts[63 - t], 1);
    __syncthreads();
    out[t] = counts[t];
}
void cleared_and_counted_by_oneself() { own_counter_k<<<1, 64>>>(raw<int>(64)); }

// CASE cleared_before_the_barrier
__global__ void sum_of_block_k(int* out) {
    __shared__ int sum;
    for (int round = 0; round < 3; ++round) {
        if (threadIdx.x == 0) sum = 0;
        __syncthreads();
        atomicAdd(&sum, 1);
        __syncthreads();
        if (threadIdx.x == 0) out[round] = sum;
    }
}
void cleared_before_the_barrier() { sum_of_block_k<<<1, 64>>>(raw<int>(3)); }

int main() {
    cleared_and_counted_by_oneself(), cleared_before_the_barrier();
    arrays_of_two_kernels();
    flag_between_lanes();
    mbarrier();
    reverse(), reverse_in_dynamic_memory(), three_arrays_in_dynamic_memory();
    reduction_interleaved(), reduction_strided_index(), reduction_sequential(), reduction_first_add_during_load();
    reduction_last_warp_with_syncwarp(), reduction_unrolled_with_syncwarp(), reduction_by_shuffles();
    reduction_of_half_a_warp(), tiled_product(), tiled_product_with_edges(), transpose_with_padding();
    double_buffer(), scan_with_two_buffers(), scan_with_two_barriers(), scan_of_blelloch(), scan_by_shuffles();
    histogram_with_shared_atomics(), histogram_per_warp(), exchange_within_a_warp(), halves_of_a_warp();
    matrix_column_per_thread(), bytes_side_by_side(), stencil_with_halo(), spin_lock_in_shared_memory();
    producer_and_consumer_barriers(), pairs_of_warps(), vote_before_the_branch(), aggregated_atomics();
    match_any(), shuffles_of_width_eight(), async_copy(), async_pipeline_of_two(), async_copy_of_ones_own();
    early_exit_without_barriers(), barrier_in_a_uniform_branch(), barrier_that_counts();
    block_that_is_no_multiple_of_32(), sort_bitonic();
    cudaError_t status = cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(status));
    return status;
}
