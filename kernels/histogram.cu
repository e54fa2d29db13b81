// Histogram of bytes. With all counters in global memory every thread of the grid queues at the same 256 addresses;
// with a private histogram a block, most of that queueing happens in shared memory.
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

constexpr int bins = 256;

__global__ void histogram_global(const unsigned char* data, unsigned* counts, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&counts[data[i]], 1u);
}

__global__ void histogram_shared(const unsigned char* data, unsigned* counts, int n) {
    __shared__ unsigned own[bins];
    for (int b = threadIdx.x; b < bins; b += blockDim.x) own[b] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&own[data[i]], 1u);
    __syncthreads();
    for (int b = threadIdx.x; b < bins; b += blockDim.x)
        if (own[b] != 0) atomicAdd(&counts[b], own[b]);
}

int main() {
    const int n = 50000;
    std::vector<unsigned char> data(n);
    std::vector<unsigned> counts(bins), expected(bins);
    unsigned state = 12345;
    for (auto& byte : data) {
        state = state * 1103515245u + 12345u;
        byte = (unsigned char)(state >> 16);
        ++expected[byte];
    }
    unsigned char* ddata;
    unsigned* dcounts;
    CHECK(cudaMalloc(&ddata, n));
    CHECK(cudaMalloc(&dcounts, bins * sizeof(unsigned)));
    CHECK(cudaMemcpy(ddata, data.data(), n, cudaMemcpyHostToDevice));

    int failures = 0;
    auto check = [&](const char* name, auto kernel) {
        CHECK(cudaMemset(dcounts, 0, bins * sizeof(unsigned)));
        kernel<<<16, 128>>>(ddata, dcounts, n);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpy(counts.data(), dcounts, bins * sizeof(unsigned), cudaMemcpyDeviceToHost));
        int wrong = 0;
        for (int b = 0; b < bins; ++b) wrong += counts[b] != expected[b];
        printf("%s: %d wrong\n", name, wrong);
        failures += wrong;
    };
    check("histogram_global", histogram_global);
    check("histogram_shared", histogram_shared);
    CHECK(cudaFree(ddata));
    CHECK(cudaFree(dcounts));
    return failures != 0;
}
