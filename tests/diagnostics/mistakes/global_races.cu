#include "cases.h"
#include <cooperative_groups.h>

// CASE plain_counter
__global__ void count_k(int* c) { c[0] += threadIdx.x; }  // FIND global-race
void plain_counter() { count_k<<<2, 32>>>(zeroed<int>(1)); }

// CASE plain_sum
__global__ void sum_k(const float* a, float* sum, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) *sum += a[i];  // FIND global-race
}
void plain_sum() { sum_k<<<4, 64>>>(counted<float>(256), zeroed<float>(1), 256); }

// CASE plain_histogram
__global__ void histogram_k(const int* in, int* bins, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) bins[in[i]]++;  // FIND global-race
}
void plain_histogram() { histogram_k<<<4, 64>>>(counted(256), zeroed<int>(64), 256); }

// CASE stencil_in_place
__global__ void smooth_k(float* a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < n - 1) a[i] = (a[i - 1] + a[i + 1]) / 2;  // FIND global-race
}
void stencil_in_place() { smooth_k<<<4, 64>>>(counted<float>(256), 256); }

// CASE last_block_without_fence
__device__ unsigned int arrived_1;
__global__ void last_block_k(const int* in, int* partial, int* out) {
    __shared__ bool last;
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = in[blockIdx.x];
        last = atomicInc(&arrived_1, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        int sum = 0;
        for (int i = 0; i < gridDim.x; ++i) sum += partial[i];  // FIND global-race
        *out = sum;
    }
}
void last_block_without_fence() { last_block_k<<<8, 32>>>(counted(8), zeroed<int>(8), zeroed<int>(1)); }

// CASE fence_of_the_block_only
__device__ unsigned int arrived_2;
__global__ void block_fence_k(const int* in, int* partial, int* out) {
    __shared__ bool last;
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = in[blockIdx.x];
        __threadfence_block();
        last = atomicInc(&arrived_2, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        int sum = 0;
        for (int i = 0; i < gridDim.x; ++i) sum += partial[i];  // FIND global-race
        *out = sum;
    }
}
void fence_of_the_block_only() { block_fence_k<<<8, 32>>>(counted(8), zeroed<int>(8), zeroed<int>(1)); }

// CASE reverse_in_place
__global__ void reverse_k(int* d, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int v = d[n - 1 - i];
    d[i] = v;  // FIND global-race
}
void reverse_in_place() { reverse_k<<<2, 64>>>(counted(128), 128); }

// CASE transpose_in_place
__global__ void transpose_k(float* m, int n) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    m[y * n + x] = m[x * n + y];  // FIND global-race
}
void transpose_in_place() { transpose_k<<<dim3(2, 2), dim3(16, 16)>>>(counted<float>(1024), 32); }

// CASE maximum_by_comparison
__global__ void maximum_k(const int* in, int* best) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (in[i] > *best) *best = in[i];  // FIND global-race
}
void maximum_by_comparison() { maximum_k<<<2, 64>>>(counted(128), zeroed<int>(1)); }

// CASE compaction_by_plain_index
__global__ void compact_k(const int* in, int* out, int* length) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (in[i] % 2) {
        int at = (*length)++;  // FIND global-race
        out[at] = in[i];  // FIND global-race
    }
}
void compaction_by_plain_index() { compact_k<<<2, 64>>>(counted(128), zeroed<int>(128), zeroed<int>(1)); }

// CASE results_read_in_the_same_kernel
__global__ void partials_k(const int* in, int* partial, int* out) {
    if (threadIdx.x == 0) partial[blockIdx.x] = in[blockIdx.x];
    __syncthreads();
    if (blockIdx.x == 3 && threadIdx.x == 0)
        for (int i = 0; i < 4; ++i) *out += partial[i];  // FIND global-race
}
void results_read_in_the_same_kernel() { partials_k<<<4, 32>>>(counted(4), zeroed<int>(4), zeroed<int>(1)); }

// CASE neighbours_without_barrier
__global__ void neighbours_k(int* d, int* out) {
    int t = threadIdx.x;
    d[t] = t * t;
    out[t] = d[(t + 1) % 64];  // FIND global-race
}
void neighbours_without_barrier() { neighbours_k<<<1, 64>>>(zeroed<int>(64), zeroed<int>(64)); }

// CASE matrix_vector_by_columns
__global__ void product_k(const float* m, const float* x, float* y, int n) {
    int column = threadIdx.x, row = blockIdx.x;
    y[row] += m[row * n + column] * x[column];  // FIND global-race
}
void matrix_vector_by_columns() {
    product_k<<<4, 32>>>(counted<float>(128), counted<float>(32), zeroed<float>(4), 32);
}

// CASE index_without_block
__global__ void no_block_k(int* d) { d[threadIdx.x] = blockIdx.x; }  // FIND global-race
void index_without_block() { no_block_k<<<4, 32>>>(zeroed<int>(128)); }

// CASE overlapping_blocks
__global__ void overlap_k(int* d) {
    int i = blockIdx.x * (blockDim.x - 1) + threadIdx.x;
    d[i] = 10 * blockIdx.x + threadIdx.x;  // FIND global-race
}
void overlapping_blocks() { overlap_k<<<4, 32>>>(zeroed<int>(128)); }

// CASE unlock_without_fence
__device__ int lock_1;
__global__ void locked_k(int* total) {
    if (threadIdx.x != 0) return;
    while (atomicCAS(&lock_1, 0, 1) != 0) {}
    *total += blockIdx.x;  // FIND global-race
    atomicExch(&lock_1, 0);
}
void unlock_without_fence() { locked_k<<<4, 32>>>(zeroed<int>(1)); }

// CASE atomic_and_plain
__global__ void mixed_k(int* c) {
    if (threadIdx.x < 16)
        atomicAdd(c, 1);
    else
        *c += 1;  // FIND global-race
}
void atomic_and_plain() { mixed_k<<<1, 32>>>(zeroed<int>(1)); }

// CASE grid_phases_without_sync
__global__ void grid_k(int* a, int* b) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
    a[i] = i;
    __syncthreads();
    b[i] = a[n - 1 - i];  // FIND global-race
}
void grid_phases_without_sync() { grid_k<<<4, 32>>>(zeroed<int>(128), zeroed<int>(128)); }

// CASE message_without_fence
__global__ void message_k(int* data, int* flag, int* out) {
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 0) {
        *data = 42;
        atomicExch(flag, 1);
    } else if (atomicAdd(flag, 0) == 1) {
        *out = *data;  // FIND global-race
    }
}
void message_without_fence() { message_k<<<2, 32>>>(zeroed<int>(1), zeroed<int>(1), zeroed<int>(1)); }

// CASE second_phase_after_grid_sync
__global__ void late_k(int* a, int* b) {
    namespace cg = cooperative_groups;
    int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
    a[i] = i;
    cg::this_grid().sync();
    b[i] = a[n - 1 - i];
    a[i] = 0;  // FIND global-race
}
void second_phase_after_grid_sync() {
    int *a = zeroed<int>(128), *b = zeroed<int>(128);
    void* arguments[] = {&a, &b};
    cudaLaunchCooperativeKernel((void*)late_k, dim3(4), dim3(32), arguments, 0, nullptr);
}

// CASE queue_push
struct Node { int value; int next; };
__global__ void push_k(Node* nodes, int* head) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    nodes[i].value = i;
    nodes[i].next = *head;
    *head = i;  // FIND global-race
}
void queue_push() { push_k<<<2, 32>>>(zeroed<Node>(64), zeroed<int>(1)); }

// CASE same_result_by_all_blocks
__global__ void done_k(int* done) { *done = 1; }  // FIND same-value-race
void same_result_by_all_blocks() { done_k<<<4, 32>>>(zeroed<int>(1)); }

// CASE rows_and_columns_mixed_up
__global__ void fill_k(int* m, int n) {
    int x = threadIdx.x, y = threadIdx.y;
    m[y + x] = y * n + x;  // FIND global-race
}
void rows_and_columns_mixed_up() { fill_k<<<1, dim3(8, 8)>>>(zeroed<int>(64), 8); }

int main() {
    plain_counter();
    plain_sum();
    plain_histogram();
    stencil_in_place();
    last_block_without_fence();
    fence_of_the_block_only();
    reverse_in_place();
    transpose_in_place();
    maximum_by_comparison();
    compaction_by_plain_index();
    results_read_in_the_same_kernel();
    neighbours_without_barrier();
    matrix_vector_by_columns();
    index_without_block();
    overlapping_blocks();
    unlock_without_fence();
    atomic_and_plain();
    grid_phases_without_sync();
    message_without_fence();
    second_phase_after_grid_sync();
    queue_push();
    same_result_by_all_blocks();
    rows_and_columns_mixed_up();
    return cudaDeviceSynchronize();
}
