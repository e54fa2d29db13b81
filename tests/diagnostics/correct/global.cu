#include "cases.h"
#include <cooperative_groups.h>
#include <cuda_fp16.h>
#include <mma.h>
namespace cg = cooperative_groups;

// CASE vector_add
__global__ void add_k(const float* a, const float* b, float* c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
void vector_add() { add_k<<<4, 64>>>(counted<float>(200), counted<float>(200), raw<float>(200), 200); }

// CASE grid_stride_loop
__global__ void stride_k(float* d, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) d[i] = 2 * d[i] + 1;
}
void grid_stride_loop() { stride_k<<<3, 64>>>(counted<float>(1000), 1000); }

// CASE saxpy_in_place
__global__ void saxpy_k(float a, const float* x, float* y) { y[threadIdx.x] += a * x[threadIdx.x]; }
void saxpy_in_place() { saxpy_k<<<1, 64>>>(2, counted<float>(64), counted<float>(64)); }

// CASE atomic_counter
__global__ void counter_k(int* c) { atomicAdd(c, 1); }
void atomic_counter() { counter_k<<<4, 64>>>(zeroed<int>(1)); }

// CASE atomic_histogram
__global__ void histogram_k(const int* in, int* bins) { atomicAdd(&bins[in[blockIdx.x * blockDim.x + threadIdx.x]], 1); }
void atomic_histogram() { histogram_k<<<4, 64>>>(counted(256), zeroed<int>(64)); }

// CASE atomic_maximum_of_floats
__device__ void max_float(float* at, float v) {
    int* word = (int*)at;
    for (int old = *(volatile int*)word; __int_as_float(old) < v;) {
        int seen = atomicCAS(word, old, __float_as_int(v));
        if (seen == old) break;
        old = seen;
    }
}
__global__ void max_k(const float* in, float* best) { max_float(best, in[blockIdx.x * blockDim.x + threadIdx.x]); }
void atomic_maximum_of_floats() { max_k<<<2, 64>>>(counted<float>(128), zeroed<float>(1)); }

// CASE last_block_sums
__device__ unsigned int arrived;
__global__ void last_k(const int* in, volatile int* partial, int* out) {
    __shared__ int s[64];
    __shared__ bool last;
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * 64 + t];
    __syncthreads();
    for (int h = 32; h > 0; h /= 2) {
        if (t < h) s[t] += s[t + h];
        __syncthreads();
    }
    if (t == 0) {
        partial[blockIdx.x] = s[0];
        __threadfence();
        last = atomicInc(&arrived, gridDim.x) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && t == 0) {
        int sum = 0;
        for (int i = 0; i < gridDim.x; ++i) sum += partial[i];
        *out = sum;
        arrived = 0;
    }
}
void last_block_sums() { last_k<<<8, 64>>>(counted(512), raw<int>(8), raw<int>(1)); }

// CASE last_block_all_threads_read
__device__ unsigned int arrived_2;
__global__ void last2_k(const int* in, int* partial, int* out) {
    __shared__ bool last;
    int t = threadIdx.x;
    partial[blockIdx.x * 32 + t] = in[blockIdx.x * 32 + t] * 2;
    __threadfence();
    __syncthreads();
    if (t == 0) last = atomicAdd(&arrived_2, 1) == gridDim.x - 1;
    __syncthreads();
    if (last)
        for (int b = 0; b < gridDim.x; ++b) atomicAdd(out, partial[b * 32 + t]);
}
void last_block_all_threads_read() { last2_k<<<4, 32>>>(counted(128), raw<int>(128), zeroed<int>(1)); }

// CASE spin_lock
__device__ int lock;
__global__ void lock_k(int* total) {
    if (threadIdx.x == 0) {
        while (atomicCAS(&lock, 0, 1) != 0) {}
        __threadfence();
        *total += blockIdx.x;
        __threadfence();
        atomicExch(&lock, 0);
    }
}
void spin_lock() { lock_k<<<8, 32>>>(zeroed<int>(1)); }

// CASE message_with_fence
__global__ void message_k(int* data, int* flag, int* out) {
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 0) {
        *data = 42;
        __threadfence();
        atomicExch(flag, 1);
    } else {
        while (atomicAdd(flag, 0) == 0) {}
        __threadfence();
        *out = *data;
    }
}
void message_with_fence() { message_k<<<2, 32>>>(raw<int>(1), zeroed<int>(1), raw<int>(1)); }

// CASE chain_of_blocks
__global__ void chain_k(volatile int* flags, int* sums) {
    if (threadIdx.x != 0) return;
    int before = 0;
    if (blockIdx.x > 0) {
        while (flags[blockIdx.x - 1] == 0) {}
        __threadfence();
        before = sums[blockIdx.x - 1];
    }
    sums[blockIdx.x] = before + blockIdx.x;
    __threadfence();
    flags[blockIdx.x] = 1;
}
void chain_of_blocks() { chain_k<<<6, 32>>>(zeroed<int>(6), raw<int>(6)); }

// CASE grid_sync
__global__ void grid_k(int* a, int* b) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
    a[i] = i;
    cg::this_grid().sync();
    b[i] = a[n - 1 - i];
    cg::this_grid().sync();
    a[i] = b[n - 1 - i];
}
void grid_sync() {
    int *a = raw<int>(256), *b = raw<int>(256);
    void* arguments[] = {&a, &b};
    cudaLaunchCooperativeKernel((void*)grid_k, dim3(4), dim3(64), arguments, 0, nullptr);
}

// CASE jacobi_on_the_grid
__global__ void jacobi_k(float* from, float* to, int n, int steps) {
    auto grid = cg::this_grid();
    for (int s = 0; s < steps; ++s) {
        for (int i = grid.thread_rank() + 1; i < n - 1; i += grid.size()) to[i] = (from[i - 1] + from[i + 1]) / 2;
        grid.sync();
        float* other = from;
        from = to, to = other;
    }
}
void jacobi_on_the_grid() {
    float *a = counted<float>(300), *b = counted<float>(300);
    int n = 300, steps = 4;
    void* arguments[] = {&a, &b, &n, &steps};
    cudaLaunchCooperativeKernel((void*)jacobi_k, dim3(3), dim3(64), arguments, 0, nullptr);
}

// CASE tiles_of_cooperative_groups
__global__ void groups_k(const int* in, int* out) {
    auto block = cg::this_thread_block();
    auto tile = cg::tiled_partition<16>(block);
    int v = in[block.thread_rank()];
    for (int o = 8; o > 0; o /= 2) v += tile.shfl_down(v, o);
    if (tile.thread_rank() == 0) out[block.thread_rank() / 16] = v;
}
void tiles_of_cooperative_groups() { groups_k<<<1, 64>>>(counted(64), raw<int>(4)); }

// CASE tiles_share_memory
__global__ void tile_memory_k(int* d) {
    __shared__ int s[64];
    auto block = cg::this_thread_block();
    auto tile = cg::tiled_partition<8>(block);
    int t = block.thread_rank();
    s[t] = d[t];
    tile.sync();
    d[t] = s[t / 8 * 8 + 7 - t % 8];
    block.sync();
    d[t] += s[63 - t];
}
void tiles_share_memory() { tile_memory_k<<<1, 64>>>(counted(64)); }

// CASE coalesced_group
__global__ void coalesced_k(int* d) {
    if (threadIdx.x % 3 == 0) {
        auto group = cg::coalesced_threads();
        d[threadIdx.x] = group.shfl(int(threadIdx.x), 0) + group.size();
    }
}
void coalesced_group() { coalesced_k<<<1, 64>>>(counted(64)); }

// CASE two_kernels
__global__ void square_k(int* d) { d[threadIdx.x] *= d[threadIdx.x]; }
__global__ void mirror_k(const int* d, int* out) { out[threadIdx.x] = d[63 - threadIdx.x]; }
void two_kernels() {
    int *d = counted(64), h[64];
    square_k<<<1, 64>>>(d);
    int* out = raw<int>(64);
    mirror_k<<<1, 64>>>(d, out);
    cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
}

// CASE block_works_in_global_memory
__global__ void scratch_k(int* scratch, int* out) {
    int t = threadIdx.x, *own = scratch + blockIdx.x * 64;
    own[t] = t;
    __syncthreads();
    out[blockIdx.x * 64 + t] = own[63 - t];
}
void block_works_in_global_memory() { scratch_k<<<3, 64>>>(raw<int>(192), raw<int>(192)); }

// CASE warp_works_in_global_memory
__global__ void warp_scratch_k(int* d) {
    int t = threadIdx.x;
    d[t] = t;
    __syncwarp();
    int v = d[t ^ 5];
    __syncwarp();
    d[t] = v;
}
void warp_works_in_global_memory() { warp_scratch_k<<<1, 64>>>(raw<int>(64)); }

// CASE transpose_naive
__global__ void transpose_k(const float* in, float* out, int n) {
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    out[x * n + y] = in[y * n + x];
}
void transpose_naive() { transpose_k<<<dim3(2, 2), dim3(16, 16)>>>(counted<float>(1024), raw<float>(1024), 32); }

// CASE transpose_in_place_by_pairs
__global__ void pairs_k(float* m, int n) {
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    if (x < y) {
        float v = m[y * n + x];
        m[y * n + x] = m[x * n + y];
        m[x * n + y] = v;
    }
}
void transpose_in_place_by_pairs() { pairs_k<<<dim3(2, 2), dim3(16, 16)>>>(counted<float>(1024), 32); }

// CASE reverse_in_place_by_pairs
__global__ void swap_k(int* d, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 2) {
        int v = d[i];
        d[i] = d[n - 1 - i];
        d[n - 1 - i] = v;
    }
}
void reverse_in_place_by_pairs() { swap_k<<<2, 64>>>(counted(200), 200); }

// CASE odd_even_sort
__global__ void odd_even_k(int* d, int n) {
    int t = threadIdx.x;
    for (int phase = 0; phase < n; ++phase) {
        int i = 2 * t + phase % 2;
        if (i + 1 < n && d[i] > d[i + 1]) {
            int v = d[i];
            d[i] = d[i + 1], d[i + 1] = v;
        }
        __syncthreads();
    }
}
void odd_even_sort() { odd_even_k<<<1, 32>>>(counted(64), 64); }

// CASE padded_structs
struct Mixed { char tag; double value; int last; };
__global__ void mixed_k(Mixed* m) {
    m[threadIdx.x].tag = 1;
    m[threadIdx.x].value = threadIdx.x;
    m[threadIdx.x].last = 2;
}
__global__ void mixed_copy_k(const Mixed* from, Mixed* to) { to[threadIdx.x] = from[threadIdx.x]; }
void padded_structs() {
    Mixed *m = raw<Mixed>(32), *n = raw<Mixed>(32), h[32];
    mixed_k<<<1, 32>>>(m);
    mixed_copy_k<<<1, 32>>>(m, n);
    cudaMemcpy(h, m, sizeof h, cudaMemcpyDeviceToHost);
    cudaMemcpy(h, n, sizeof h, cudaMemcpyDeviceToHost);
}

// CASE three_of_four
__global__ void three_k(float4* v) {
    v[threadIdx.x].x = 1, v[threadIdx.x].y = 2, v[threadIdx.x].z = 3;
}
__global__ void three_read_k(const float4* v, float* out) {
    float4 u = v[threadIdx.x];
    out[threadIdx.x] = u.x + u.y + u.z;
}
void three_of_four() {
    float4* v = raw<float4>(32);
    three_k<<<1, 32>>>(v);
    three_read_k<<<1, 32>>>(v, raw<float>(32));
}

// CASE vectors_of_three
__global__ void float3_k(const float3* in, float3* out) {
    float3 v = in[threadIdx.x];
    out[threadIdx.x] = make_float3(v.z, v.y, v.x);
}
void vectors_of_three() { float3_k<<<1, 64>>>((float3*)counted<float>(192), raw<float3>(64)); }

// CASE vector_loads
__global__ void float4_k(const float4* in, float4* out) { out[threadIdx.x] = in[threadIdx.x]; }
void vector_loads() { float4_k<<<1, 64>>>((float4*)counted<float>(256), raw<float4>(64)); }

// CASE bytes_of_an_image
__global__ void image_k(unsigned char* p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] = 255 - p[i];
}
void bytes_of_an_image() { image_k<<<4, 64>>>(counted<unsigned char>(250), 250); }

// CASE pitched_memory
__global__ void pitched_k(char* p, size_t pitch) { ((float*)(p + threadIdx.y * pitch))[threadIdx.x] = threadIdx.x; }
void pitched_memory() {
    char* p;
    size_t pitch;
    float h[8][10];
    cudaMallocPitch((void**)&p, &pitch, 10 * sizeof(float), 8);
    pitched_k<<<1, dim3(10, 8)>>>(p, pitch);
    cudaMemcpy2D(h, 40, p, pitch, 40, 8, cudaMemcpyDeviceToHost);
}

// CASE managed_memory
__global__ void managed_k(int* d) { d[threadIdx.x] += 1; }
void managed_memory() {
    int* d;
    cudaMallocManaged((void**)&d, 256);
    for (int i = 0; i < 64; ++i) d[i] = i;
    managed_k<<<1, 64>>>(d);
    cudaDeviceSynchronize();
}

// CASE pinned_memory
__global__ void pinned_k(const int* in, int* out) { out[threadIdx.x] = in[threadIdx.x]; }
void pinned_memory() {
    int* h;
    cudaMallocHost((void**)&h, 256);
    for (int i = 0; i < 64; ++i) h[i] = i;
    pinned_k<<<1, 64>>>(h, raw<int>(64));
}

// CASE variables
__device__ int table[64];
__constant__ float factors[4];
__global__ void variables_k(float* out) {
    table[threadIdx.x] += threadIdx.x;
    out[threadIdx.x] = table[threadIdx.x] * factors[threadIdx.x % 4];
}
void variables() {
    float f[4] = {1, 2, 3, 4};
    cudaMemcpyToSymbol(factors, f, sizeof f);
    variables_k<<<1, 64>>>(raw<float>(64));
}

// CASE local_arrays
__global__ void local_k(const int* in, int* out, int k) {
    int a[16];
    for (int i = 0; i < 16; ++i) a[i] = in[i];
    int sum = 0;
    for (int i = 0; i < 16; ++i) sum += a[(i * k) % 16];
    out[threadIdx.x] = sum;
}
void local_arrays() { local_k<<<1, 32>>>(counted(16), raw<int>(32), 5); }

// CASE functions_with_arrays
__device__ __attribute__((noinline)) int sum_of(const int* a, int n) {
    int sum = 0;
    for (int i = 0; i < n; ++i) sum += a[i];
    return sum;
}
__global__ void call_k(const int* in, int* out) {
    int a[8];
    for (int i = 0; i < 8; ++i) a[i] = in[i] + threadIdx.x;
    out[threadIdx.x] = sum_of(a, 8);
}
void functions_with_arrays() { call_k<<<1, 32>>>(counted(8), raw<int>(32)); }

// CASE heap_of_the_device
__global__ void heap_k(int* out) {
    int* p = (int*)malloc(16 * sizeof(int));
    for (int i = 0; i < 16; ++i) p[i] = i * threadIdx.x;
    out[threadIdx.x] = p[5] + p[15];
    free(p);
}
void heap_of_the_device() { heap_k<<<1, 32>>>(raw<int>(32)); }

// CASE part_of_an_allocation
void part_of_an_allocation() {
    int *d = raw<int>(100), h[50];
    cudaMemset(d, 0, 50 * sizeof(int));
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
}

// CASE copy_within_the_device
void copy_within_the_device() {
    int *a = counted(64), *b = raw<int>(64), h[64];
    cudaMemcpy(b, a, 256, cudaMemcpyDeviceToDevice);
    cudaMemcpy(h, b, 256, cudaMemcpyDeviceToHost);
}

// CASE tensor_cores
__global__ void wmma_k(const half* a, const half* b, float* c) {
    using namespace nvcuda::wmma;
    fragment<matrix_a, 16, 16, 16, half, row_major> fa;
    fragment<matrix_b, 16, 16, 16, half, col_major> fb;
    fragment<accumulator, 16, 16, 16, float> fc;
    fill_fragment(fc, 0.0f);
    load_matrix_sync(fa, a, 16);
    load_matrix_sync(fb, b, 16);
    mma_sync(fc, fa, fb, fc);
    store_matrix_sync(c, fc, 16, mem_row_major);
}
void tensor_cores() {
    half *a = zeroed<half>(256), *b = zeroed<half>(256);
    float *c = raw<float>(256), h[256];
    wmma_k<<<1, 32>>>(a, b, c);
    cudaMemcpy(h, c, sizeof h, cudaMemcpyDeviceToHost);
}

// CASE printf_from_a_kernel
__global__ void print_k(const int* in) {
    if (threadIdx.x == 0) printf("%d %d %s\n", in[0], in[1], "text");
}
void printf_from_a_kernel() { print_k<<<1, 32>>>(counted(32)); }

// CASE streams_in_order
void streams_in_order() {
    cudaStream_t s;
    cudaStreamCreate(&s);
    int *d = raw<int>(64), h[64];
    cudaMemsetAsync(d, 0, 256, s);
    square_k<<<1, 64, 0, s>>>(d);
    cudaMemcpyAsync(h, d, 256, cudaMemcpyDeviceToHost, s);
    cudaStreamSynchronize(s);
}

// CASE bitmap_by_or
__global__ void bits_k(const int* in, unsigned* bits) { atomicOr(&bits[in[threadIdx.x] / 32], 1u << in[threadIdx.x] % 32); }
void bitmap_by_or() { bits_k<<<1, 64>>>(counted(64), zeroed<unsigned>(2)); }

// CASE one_thread_of_many
__global__ void one_k(int* out) {
    if (blockIdx.x == 0 && threadIdx.x == 0) *out = gridDim.x;
}
void one_thread_of_many() { one_k<<<4, 64>>>(raw<int>(1)); }

// CASE complex_of_templates
template <int N, class T>
__global__ void sum_k(const T* in, T* out) {
    T sum = 0;
#pragma unroll
    for (int i = 0; i < N; ++i) sum += in[threadIdx.x * N + i];
    out[threadIdx.x] = sum;
}
void complex_of_templates() { sum_k<4, double><<<1, 32>>>(counted<double>(128), raw<double>(32)); }

// CASE diagonal_blocks
__global__ void diagonal_k(float* out, const float* in, int n) {
    int by = blockIdx.x, bx = (blockIdx.x + blockIdx.y) % gridDim.x;
    int x = bx * 16 + threadIdx.x, y = by * 16 + threadIdx.y;
    out[x * n + y] = in[y * n + x];
}
void diagonal_blocks() { diagonal_k<<<dim3(2, 2), dim3(16, 16)>>>(raw<float>(1024), counted<float>(1024), 32); }

int main() {
    vector_add(), grid_stride_loop(), saxpy_in_place(), atomic_counter(), atomic_histogram();
    atomic_maximum_of_floats(), last_block_sums(), last_block_all_threads_read(), spin_lock(), message_with_fence();
    chain_of_blocks(), grid_sync(), jacobi_on_the_grid(), tiles_of_cooperative_groups(), tiles_share_memory();
    coalesced_group(), two_kernels(), block_works_in_global_memory(), warp_works_in_global_memory();
    transpose_naive(), transpose_in_place_by_pairs(), reverse_in_place_by_pairs(), odd_even_sort(), padded_structs();
    three_of_four(), vectors_of_three(), vector_loads(), bytes_of_an_image(), pitched_memory(), managed_memory();
    pinned_memory(), variables(), local_arrays(), functions_with_arrays(), heap_of_the_device();
    part_of_an_allocation(), copy_within_the_device(), tensor_cores(), printf_from_a_kernel(), streams_in_order();
    bitmap_by_or(), one_thread_of_many(), complex_of_templates(), diagonal_blocks();
    cudaError_t status = cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(status));
    return status;
}
