// One-dimensional stencil: each result is the sum of seven neighbours. The shared form loads every element once a
// block, with a halo of `radius` on either side, instead of seven times.
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

constexpr int radius = 3;
constexpr int block = 128;

// `in` has `radius` extra elements before and after the n that results are computed for.
__global__ void stencil_global(const int* in, int* out, int n) {
    int i = blockIdx.x * block + threadIdx.x;
    if (i >= n) return;
    int sum = 0;
    for (int k = 0; k <= 2 * radius; ++k) sum += in[i + k];
    out[i] = sum;
}

__global__ void stencil_shared(const int* in, int* out, int n) {
    __shared__ int near[block + 2 * radius];
    int start = blockIdx.x * block;
    for (int j = threadIdx.x; j < block + 2 * radius; j += block)
        if (start + j < n + 2 * radius) near[j] = in[start + j];
    __syncthreads();
    int i = start + threadIdx.x;
    if (i >= n) return;
    int sum = 0;
    for (int k = 0; k <= 2 * radius; ++k) sum += near[threadIdx.x + k];
    out[i] = sum;
}

int main() {
    const int n = 5000;
    std::vector<int> in(n + 2 * radius), out(n);
    for (size_t i = 0; i < in.size(); ++i) in[i] = int(i * i % 1000);
    int *din, *dout;
    CHECK(cudaMalloc(&din, in.size() * sizeof(int)));
    CHECK(cudaMalloc(&dout, n * sizeof(int)));
    CHECK(cudaMemcpy(din, in.data(), in.size() * sizeof(int), cudaMemcpyHostToDevice));

    int failures = 0;
    auto check = [&](const char* name, auto kernel) {
        CHECK(cudaMemset(dout, 0, n * sizeof(int)));
        kernel<<<(n + block - 1) / block, block>>>(din, dout, n);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpy(out.data(), dout, n * sizeof(int), cudaMemcpyDeviceToHost));
        int wrong = 0;
        for (int i = 0; i < n; ++i) {
            int sum = 0;
            for (int k = 0; k <= 2 * radius; ++k) sum += in[i + k];
            wrong += out[i] != sum;
        }
        printf("%s: out[0] %d, %d wrong\n", name, out[0], wrong);
        failures += wrong;
    };
    check("stencil_global", stencil_global);
    check("stencil_shared", stencil_shared);
    CHECK(cudaFree(din));
    CHECK(cudaFree(dout));
    return failures != 0;
}
