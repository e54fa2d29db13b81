#include "cases.h"

// CASE reverse_without_barrier
__global__ void reverse_k(int* d) {
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = d[t];
    d[t] = s[63 - t];  // FIND shared-race
}
void reverse_without_barrier() { reverse_k<<<1, 64>>>(counted(64)); }

// CASE reduction_without_barrier_in_loop
__global__ void reduce_k(const int* in, int* out) {
    __shared__ int s[256];
    int t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    for (int h = 128; h > 0; h /= 2)
        if (t < h) s[t] += s[t + h];  // FIND shared-race
    if (t == 0) *out = s[0];
}
void reduction_without_barrier_in_loop() { reduce_k<<<1, 256>>>(counted(256), zeroed<int>(1)); }

// CASE warp_synchronous_reduction
__global__ void warp_reduce_k(const int* in, int* out) {
    __shared__ volatile int s[64];
    int t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    if (t < 32) {
        s[t] += s[t + 32];
        s[t] += s[t + 16];  // FIND shared-race
        s[t] += s[t + 8];   // FIND shared-race
        s[t] += s[t + 4];   // FIND shared-race
        s[t] += s[t + 2];   // FIND shared-race
        s[t] += s[t + 1];   // FIND shared-race
        if (t == 0) *out = s[0];
    }
}
void warp_synchronous_reduction() { warp_reduce_k<<<1, 64>>>(counted(64), zeroed<int>(1)); }

// CASE tiles_without_second_barrier
__global__ void tiles2_k(const float* a, float* out, int n) {
    __shared__ float tile[16][16];
    int x = threadIdx.x, y = threadIdx.y;
    float sum = 0;
    for (int step = 0; step < n; ++step) {
        tile[y][x] = a[step * 256 + y * 16 + x];  // FIND shared-race by __syncthreads()
        __syncthreads();
        for (int k = 0; k < 16; ++k) sum += tile[k][x];
    }
    out[y * 16 + x] = sum;
}
void tiles_without_second_barrier() { tiles2_k<<<1, dim3(16, 16)>>>(counted<float>(512), zeroed<float>(256), 2); }

// CASE tiles_without_first_barrier
__global__ void tiles1_k(const float* a, float* out, int n) {
    __shared__ float tile[16][16];
    int x = threadIdx.x, y = threadIdx.y;
    float sum = 0;
    for (int step = 0; step < n; ++step) {
        tile[y][x] = a[step * 256 + y * 16 + x];
        for (int k = 0; k < 16; ++k) sum += tile[k][x];  // FIND shared-race
        __syncthreads();
    }
    out[y * 16 + x] = sum;
}
void tiles_without_first_barrier() { tiles1_k<<<1, dim3(16, 16)>>>(counted<float>(512), zeroed<float>(256), 2); }

// CASE stencil_without_barrier
__global__ void stencil_k(const int* in, int* out) {
    __shared__ int s[130];
    int t = threadIdx.x + 1;
    s[t] = in[t];
    if (t == 1) s[0] = in[0];
    if (t == 128) s[129] = in[129];
    out[t] = s[t - 1] + s[t] + s[t + 1];  // FIND shared-race
}
void stencil_without_barrier() { stencil_k<<<1, 128>>>(counted(130), zeroed<int>(130)); }

// CASE scan_in_one_buffer
__global__ void scan_k(int* d) {
    __shared__ int s[128];
    int t = threadIdx.x;
    s[t] = d[t];
    __syncthreads();
    for (int o = 1; o < 128; o *= 2) {
        if (t >= o) s[t] += s[t - o];  // FIND shared-race
        __syncthreads();
    }
    d[t] = s[t];
}
void scan_in_one_buffer() { scan_k<<<1, 128>>>(counted(128)); }

// CASE histogram_without_atomics
__global__ void bins_k(const int* in, int* out) {
    __shared__ int bins[16];
    int t = threadIdx.x;
    if (t < 16) bins[t] = 0;
    __syncthreads();
    bins[in[t] % 16]++;  // FIND shared-race
    __syncthreads();
    if (t < 16) out[t] = bins[t];
}
void histogram_without_atomics() { bins_k<<<1, 128>>>(counted(128), zeroed<int>(16)); }

// CASE counter_cleared_without_barrier
__global__ void counter_k(const int* in, int* out) {
    __shared__ int count;
    if (threadIdx.x == 0) count = 0;
    if (in[threadIdx.x] > 8) atomicAdd(&count, 1);  // FIND shared-race
    __syncthreads();
    if (threadIdx.x == 0) *out = count;
}
void counter_cleared_without_barrier() { counter_k<<<1, 128>>>(counted(128), zeroed<int>(1)); }

// CASE bins_read_without_barrier
__global__ void bins_read_k(const int* in, int* out) {
    __shared__ int bins[64];
    int t = threadIdx.x;
    if (t < 64) bins[t] = 0;
    __syncthreads();
    atomicAdd(&bins[in[t]], 1);
    if (t < 64) out[t] = bins[t];  // FIND shared-race
}
void bins_read_without_barrier() { bins_read_k<<<1, 128>>>(counted(128), zeroed<int>(64)); }

// CASE broadcast_without_barrier
__global__ void broadcast_k(const int* in, int* out) {
    __shared__ int first;
    if (threadIdx.x == 0) first = in[0];
    out[threadIdx.x] = in[threadIdx.x] - first;  // FIND shared-race
}
void broadcast_without_barrier() { broadcast_k<<<1, 64>>>(counted(64), zeroed<int>(64)); }

// CASE double_buffer_of_one
__global__ void buffers_k(int* d, int steps) {
    __shared__ int s[2][64];
    int t = threadIdx.x, at = 0;
    s[at][t] = d[t];
    __syncthreads();
    for (int i = 0; i < steps; ++i) {
        s[at][t] = s[at][(t + 1) % 64] + 1;  // FIND shared-race
        __syncthreads();
    }
    d[t] = s[at][t];
}
void double_buffer_of_one() { buffers_k<<<1, 64>>>(counted(64), 3); }

// CASE transpose_tile_without_barrier
__global__ void transpose_k(const float* in, float* out) {
    __shared__ float tile[32][33];
    int x = threadIdx.x, y = threadIdx.y;
    for (int j = 0; j < 32; j += 8) tile[y + j][x] = in[(y + j) * 32 + x];
    for (int j = 0; j < 32; j += 8) out[(y + j) * 32 + x] = tile[x][y + j];  // FIND shared-race
}
void transpose_tile_without_barrier() { transpose_k<<<1, dim3(32, 8)>>>(counted<float>(1024), zeroed<float>(1024)); }

// CASE maximum_by_comparison
__global__ void maximum_k(const int* in, int* out) {
    __shared__ int best;
    if (threadIdx.x == 0) best = -1;
    __syncthreads();
    if (in[threadIdx.x] > best) best = in[threadIdx.x];  // FIND shared-race
    __syncthreads();
    if (threadIdx.x == 0) *out = best;
}
void maximum_by_comparison() { maximum_k<<<1, 64>>>(counted(64), zeroed<int>(1)); }

// CASE warp_exchange_without_syncwarp
__global__ void exchange_k(int* d) {
    __shared__ int s[32];
    int t = threadIdx.x;
    s[t] = d[t];
    d[t] = s[t ^ 1];  // FIND shared-race
}
void warp_exchange_without_syncwarp() { exchange_k<<<1, 32>>>(counted(32)); }

// CASE syncwarp_for_two_warps
__global__ void two_warps_k(int* d) {
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = d[t];
    __syncwarp();
    d[t] = s[(t + 32) % 64];  // FIND shared-race
}
void syncwarp_for_two_warps() { two_warps_k<<<1, 64>>>(counted(64)); }

// CASE barrier_before_the_write
__global__ void early_k(int* d) {
    __shared__ int s[64];
    int t = threadIdx.x;
    __syncthreads();
    s[t] = d[t];
    d[t] = s[(t + 40) % 64];  // FIND shared-race
}
void barrier_before_the_write() { early_k<<<1, 64>>>(counted(64)); }

// CASE two_threads_one_element
__global__ void halves_k(const int* in, int* out) {
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t / 2] = in[t];  // FIND shared-race
    __syncthreads();
    if (t < 32) out[t] = s[t];
}
void two_threads_one_element() { halves_k<<<1, 64>>>(counted(64), zeroed<int>(64)); }

// CASE arrays_overlap_in_dynamic_memory
__global__ void overlap_k(int* d, int n) {
    extern __shared__ int both[];
    int *a = both, *b = both + n / 2;
    int t = threadIdx.x;
    a[t] = d[t];
    b[t] = -d[t];  // FIND shared-race
    __syncthreads();
    d[t] = a[t] + b[t];
}
void arrays_overlap_in_dynamic_memory() { overlap_k<<<1, 64, 128 * sizeof(int)>>>(counted(64), 64); }

// CASE bytes_beside_a_word
__global__ void bytes_k(const int* in, int* out) {
    __shared__ int words[16];
    char* bytes = reinterpret_cast<char*>(words);
    int t = threadIdx.x;
    bytes[t] = char(in[t]);
    if (t < 16) out[t] = words[t];  // FIND shared-race
}
void bytes_beside_a_word() { bytes_k<<<1, 64>>>(counted(64), zeroed<int>(16)); }

// CASE loop_without_last_barrier
__global__ void loop_k(const int* in, int* out, int n) {
    __shared__ int total;
    for (int i = 0; i < n; ++i) {
        if (threadIdx.x == 0) total = in[i];  // FIND shared-race
        __syncthreads();
        out[threadIdx.x] += total;
    }
}
void loop_without_last_barrier() { loop_k<<<1, 64>>>(counted(64), zeroed<int>(64), 4); }

// CASE half_warp_synchronised
__global__ void half_sync_k(int* d) {
    __shared__ int s[32];
    int t = threadIdx.x;
    s[t] = d[t];
    if (t < 16) __syncwarp(0xffff);
    d[t] = s[31 - t];  // FIND shared-race
}
void half_warp_synchronised() { half_sync_k<<<1, 32>>>(counted(32)); }

// CASE next_phase_overtakes
__global__ void phases_k(int* d) {
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = d[t];
    __syncthreads();
    int v = s[63 - t];
    s[t] = v * 2;  // FIND shared-race
    __syncthreads();
    d[t] = s[t];
}
void next_phase_overtakes() { phases_k<<<1, 64>>>(counted(64)); }

// CASE same_flag_by_all
__global__ void flag_k(const int* in, int* out) {
    __shared__ int found;
    if (threadIdx.x == 0) found = 0;
    __syncthreads();
    if (in[threadIdx.x] > 3) found = 1;  // FIND same-value-race
    __syncthreads();
    if (threadIdx.x == 0) *out = found;
}
void same_flag_by_all() { flag_k<<<1, 64>>>(counted(64), zeroed<int>(1)); }

// CASE async_copy_not_waited_for
__global__ void copy_k(const int* in, int* out) {
    __shared__ int s[32];
    int t = threadIdx.x;
    unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(&s[t]));
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(in + t));
    asm volatile("cp.async.commit_group;");
    __syncthreads();
    out[t] = s[t];  // FIND copy-not-waited-for
}
void async_copy_not_waited_for() { copy_k<<<1, 32>>>(counted(32), zeroed<int>(32)); }

// CASE async_copy_without_barrier
__global__ void copy2_k(const int* in, int* out) {
    __shared__ int s[64];
    int t = threadIdx.x;
    unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(&s[t]));
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(in + t));
    asm volatile("cp.async.commit_group;");
    asm volatile("cp.async.wait_group 0;");
    out[t] = s[63 - t];  // FIND shared-race
}
void async_copy_without_barrier() { copy2_k<<<1, 64>>>(counted(64), zeroed<int>(64)); }

// CASE two_arrays_of_dynamic_memory
extern __shared__ int keys[];
extern __shared__ int values[];
__global__ void two_arrays_k(const int* in, int* out) {
    int t = threadIdx.x;
    keys[t] = in[t];
    __syncthreads();
    values[t] = keys[t] + 1;  // FIND shared-aliasing
    __syncthreads();
    out[t] = keys[t];
}
void two_arrays_of_dynamic_memory() { two_arrays_k<<<1, 64, 128 * sizeof(int)>>>(counted(64), zeroed<int>(64)); }

// CASE cleared_by_one_thread
__global__ void cleared_k(int* out) {
    __shared__ int sum;
    if (threadIdx.x == 0) sum = 0;
    atomicAdd(&sum, 1);  // FIND shared-race by __syncthreads()
    __syncthreads();
    if (threadIdx.x == 0) *out = sum;
}
void cleared_by_one_thread() { cleared_k<<<1, 64>>>(zeroed<int>(1)); }

// CASE bins_cleared_by_the_first_warps
__global__ void bins_k(int* out) {
    __shared__ int bins[32];
    const int t = threadIdx.x;
    if (t < 32) bins[t] = 0;
    atomicAdd(&bins[t % 32], 1);  // FIND shared-race by __syncthreads()
    __syncthreads();
    if (t < 32) out[t] = bins[t];
}
void bins_cleared_by_the_first_warps() { bins_k<<<1, 128>>>(zeroed<int>(32)); }

// CASE shifted_in_place
__global__ void shift_k(int* d) {
    __shared__ int s[64];
    const int t = threadIdx.x;
    s[t] = d[t];
    __syncthreads();
    s[t] = s[(t + 1) % 64];  // FIND shared-race by read into a variable, then __syncthreads()
    __syncthreads();
    d[t] = s[t];
}
void shifted_in_place() { shift_k<<<1, 64>>>(counted(64)); }

int main() {
    cleared_by_one_thread();
    bins_cleared_by_the_first_warps();
    shifted_in_place();
    two_arrays_of_dynamic_memory();
    reverse_without_barrier();
    reduction_without_barrier_in_loop();
    warp_synchronous_reduction();
    tiles_without_second_barrier();
    tiles_without_first_barrier();
    stencil_without_barrier();
    scan_in_one_buffer();
    histogram_without_atomics();
    counter_cleared_without_barrier();
    bins_read_without_barrier();
    broadcast_without_barrier();
    double_buffer_of_one();
    transpose_tile_without_barrier();
    maximum_by_comparison();
    warp_exchange_without_syncwarp();
    syncwarp_for_two_warps();
    barrier_before_the_write();
    two_threads_one_element();
    arrays_overlap_in_dynamic_memory();
    bytes_beside_a_word();
    loop_without_last_barrier();
    half_warp_synchronised();
    next_phase_overtakes();
    same_flag_by_all();
    async_copy_not_waited_for();
    async_copy_without_barrier();
    return cudaDeviceSynchronize();
}
