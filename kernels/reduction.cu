// Sum of an array, in steps that each remove one cost of the step before:
//   interleaved  neighbours first; the threads that work are spread over all warps, so every warp stays busy half empty
//   strided      the working threads stand together, but their accesses meet in the same banks
//   sequential   halves are added: no divergence until the last warp, no bank conflicts
//   first_add    each thread adds two elements while loading: no thread idles in the first round
//   shuffle      the last steps exchange registers inside a warp: less shared memory, one barrier
//   grid_stride  a grid of fixed size walks over the array, and one atomic a block ends it in a single launch
#include <stdio.h>
#include <stdlib.h>

#include <vector>

// Ends the program at the first call that fails.
void end_unless_success(cudaError_t status, const char* call, int line) {
    if (status == cudaSuccess) return;
    fprintf(stderr, "line %d: %s gave %s\n", line, call, cudaGetErrorName(status));
    exit(1);
}
#define CHECK(call) end_unless_success(call, #call, __LINE__)

constexpr int block = 256;

__global__ void reduce_interleaved(const int* in, int* out, int n) {
    __shared__ int partial[block];
    int t = threadIdx.x, i = blockIdx.x * block + t;
    partial[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int step = 1; step < block; step *= 2) {
        if (t % (2 * step) == 0) partial[t] += partial[t + step];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = partial[0];
}

__global__ void reduce_strided(const int* in, int* out, int n) {
    __shared__ int partial[block];
    int t = threadIdx.x, i = blockIdx.x * block + t;
    partial[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int step = 1; step < block; step *= 2) {
        int left = 2 * step * t;
        if (left < block) partial[left] += partial[left + step];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = partial[0];
}

__global__ void reduce_sequential(const int* in, int* out, int n) {
    __shared__ int partial[block];
    int t = threadIdx.x, i = blockIdx.x * block + t;
    partial[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int half = block / 2; half > 0; half /= 2) {
        if (t < half) partial[t] += partial[t + half];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = partial[0];
}

__global__ void reduce_first_add(const int* in, int* out, int n) {
    __shared__ int partial[block];
    int t = threadIdx.x, i = blockIdx.x * 2 * block + t;
    partial[t] = (i < n ? in[i] : 0) + (i + block < n ? in[i + block] : 0);
    __syncthreads();
    for (int half = block / 2; half > 0; half /= 2) {
        if (t < half) partial[t] += partial[t + half];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = partial[0];
}

// The sum of a warp's 32 values, in lane 0.
__device__ int warp_sum(int value) {
    for (int delta = 16; delta > 0; delta /= 2) value += __shfl_down_sync(0xffffffff, value, delta);
    return value;
}

// The sum of a block's values, in thread 0.
__device__ int block_sum(int value) {
    __shared__ int warps[block / 32];
    int t = threadIdx.x;
    value = warp_sum(value);
    if (t % 32 == 0) warps[t / 32] = value;
    __syncthreads();
    // The whole first warp takes part, so that its shuffle may name all of its lanes.
    if (t < 32) value = warp_sum(t < block / 32 ? warps[t] : 0);
    return value;
}

__global__ void reduce_shuffle(const int* in, int* out, int n) {
    int i = blockIdx.x * 2 * block + threadIdx.x;
    int value = block_sum((i < n ? in[i] : 0) + (i + block < n ? in[i + block] : 0));
    if (threadIdx.x == 0) out[blockIdx.x] = value;
}

__global__ void reduce_grid_stride(const int* in, int* total, int n) {
    int value = 0;
    for (int i = blockIdx.x * block + threadIdx.x; i < n; i += gridDim.x * block) value += in[i];
    value = block_sum(value);
    if (threadIdx.x == 0) atomicAdd(total, value);
}

int main() {
    const int n = 100000;
    std::vector<int> in(n);
    long long expected = 0;
    for (int i = 0; i < n; ++i) expected += in[i] = i % 101;
    int *din, *dout;
    const int most_blocks = (n + block - 1) / block;
    CHECK(cudaMalloc(&din, n * sizeof(int)));
    CHECK(cudaMalloc(&dout, most_blocks * sizeof(int)));
    CHECK(cudaMemcpy(din, in.data(), n * sizeof(int), cudaMemcpyHostToDevice));

    int failures = 0;
    auto check = [&](const char* name, auto kernel, int grid, int results) {
        CHECK(cudaMemset(dout, 0, most_blocks * sizeof(int)));
        kernel<<<grid, block>>>(din, dout, n);
        CHECK(cudaGetLastError());
        std::vector<int> out(results);
        CHECK(cudaMemcpy(out.data(), dout, results * sizeof(int), cudaMemcpyDeviceToHost));
        long long sum = 0;
        for (int value : out) sum += value;
        printf("reduce_%s: %lld%s\n", name, sum, sum == expected ? "" : ", wrong");
        failures += sum != expected;
    };
    const int half = (n + 2 * block - 1) / (2 * block);
    check("interleaved", reduce_interleaved, most_blocks, most_blocks);
    check("strided", reduce_strided, most_blocks, most_blocks);
    check("sequential", reduce_sequential, most_blocks, most_blocks);
    check("first_add", reduce_first_add, half, half);
    check("shuffle", reduce_shuffle, half, half);
    check("grid_stride", reduce_grid_stride, 32, 1);
    CHECK(cudaFree(din));
    CHECK(cudaFree(dout));
    return failures != 0;
}
