// Prefix sums inside one block, inclusive, two ways, and over a whole array with a second pass.
//   step-efficient  log2(n) rounds in which every thread adds the element `offset` to its left (Hillis and Steele)
//   work-efficient  a tree up and a tree down, about 2 n additions in all (Blelloch); its working threads are spread
//                   over all warps, for the tree's sake: reduction.cu shows how they come to stand together
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

__global__ void scan_step_efficient(const int* in, int* out, int* sums, int n) {
    __shared__ int values[block];
    int t = threadIdx.x, i = blockIdx.x * block + t;
    values[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int offset = 1; offset < block; offset *= 2) {
        int left = t >= offset ? values[t - offset] : 0;
        __syncthreads();  // all have read before anybody writes
        values[t] += left;
        __syncthreads();
    }
    if (i < n) out[i] = values[t];
    if (t == block - 1) sums[blockIdx.x] = values[t];
}

__global__ void scan_work_efficient(const int* in, int* out, int* sums, int n) {
    __shared__ int values[block];
    int t = threadIdx.x, i = blockIdx.x * block + t;
    int own = i < n ? in[i] : 0;
    values[t] = own;
    __syncthreads();
    for (int width = 2; width <= block; width *= 2) {
        if ((t + 1) % width == 0) values[t] += values[t - width / 2];
        __syncthreads();
    }
    if (t == block - 1) {
        sums[blockIdx.x] = values[t];
        values[t] = 0;
    }
    __syncthreads();
    for (int width = block; width >= 2; width /= 2) {
        if ((t + 1) % width == 0) {
            int left = values[t - width / 2];
            values[t - width / 2] = values[t];
            values[t] += left;
        }
        __syncthreads();
    }
    // The tree leaves the sum of all elements before this one.
    if (i < n) out[i] = values[t] + own;
}

// `offsets` holds the inclusive sums of the blocks.
__global__ void add_offsets(int* out, const int* offsets, int n) {
    int i = blockIdx.x * block + threadIdx.x;
    if (blockIdx.x > 0 && i < n) out[i] += offsets[blockIdx.x - 1];
}

int main() {
    // The blocks' sums are scanned by one block, in place; longer arrays need one more level.
    const int n = 10000, grid = (n + block - 1) / block;
    static_assert(grid <= block, "the sums of all blocks are scanned by one block");
    std::vector<int> in(n), out(n);
    for (int i = 0; i < n; ++i) in[i] = i % 7 - 2;
    int *din, *dout, *sums, *total;
    CHECK(cudaMalloc(&din, n * sizeof(int)));
    CHECK(cudaMalloc(&dout, n * sizeof(int)));
    CHECK(cudaMalloc(&sums, grid * sizeof(int)));
    CHECK(cudaMalloc(&total, sizeof(int)));
    CHECK(cudaMemcpy(din, in.data(), n * sizeof(int), cudaMemcpyHostToDevice));

    int failures = 0;
    auto check = [&](const char* name, auto scan) {
        CHECK(cudaMemset(dout, 0, n * sizeof(int)));
        scan<<<grid, block>>>(din, dout, sums, n);
        CHECK(cudaGetLastError());
        scan<<<1, block>>>(sums, sums, total, grid);
        CHECK(cudaGetLastError());
        add_offsets<<<grid, block>>>(dout, sums, n);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpy(out.data(), dout, n * sizeof(int), cudaMemcpyDeviceToHost));
        int wrong = 0, sum = 0;
        for (int i = 0; i < n; ++i) wrong += out[i] != (sum += in[i]);
        printf("%s: last %d, %d wrong\n", name, out[n - 1], wrong);
        failures += wrong;
    };
    check("scan_step_efficient", scan_step_efficient);
    check("scan_work_efficient", scan_work_efficient);
    CHECK(cudaFree(din));
    CHECK(cudaFree(dout));
    CHECK(cudaFree(sums));
    CHECK(cudaFree(total));
    return failures != 0;
}
