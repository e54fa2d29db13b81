// Array reversal, three ways. Through shared memory both global accesses go upwards with the thread's number; the third
// kernel stores downwards, which devices since compute capability 1.2 combine as well.
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

// One block of n threads, at most 256.
__global__ void reverse_static(int* data, int n) {
    __shared__ int copy[256];
    int t = threadIdx.x;
    copy[t] = data[t];
    __syncthreads();  // the element that this thread reads next was written by another one
    data[t] = copy[n - 1 - t];
}

// One block of n threads, launched with n * sizeof(int) bytes of shared memory.
__global__ void reverse_dynamic(int* data, int n) {
    extern __shared__ int dynamic_copy[];
    int t = threadIdx.x;
    dynamic_copy[t] = data[t];
    __syncthreads();
    data[t] = dynamic_copy[n - 1 - t];
}

// Any length, any grid. Out of place, so no thread can overwrite what another still has to read.
__global__ void reverse_global(const int* in, int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[n - 1 - i] = in[i];
}

int failures = 0;

void check(const char* name, const int* device, int n) {
    CHECK(cudaGetLastError());
    std::vector<int> host(n);
    CHECK(cudaMemcpy(host.data(), device, n * sizeof(int), cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (int i = 0; i < n; ++i) wrong += host[i] != n - 1 - i;
    printf("%s: %d wrong\n", name, wrong);
    failures += wrong;
}

int main() {
    const int small = 256, large = 10000, block = 256;
    std::vector<int> ascending(large);
    for (int i = 0; i < large; ++i) ascending[i] = i;
    int *in, *out;
    CHECK(cudaMalloc(&in, large * sizeof(int)));
    CHECK(cudaMalloc(&out, large * sizeof(int)));

    CHECK(cudaMemcpy(out, ascending.data(), small * sizeof(int), cudaMemcpyHostToDevice));
    reverse_static<<<1, small>>>(out, small);
    check("reverse_static", out, small);

    CHECK(cudaMemcpy(out, ascending.data(), small * sizeof(int), cudaMemcpyHostToDevice));
    reverse_dynamic<<<1, small, small * sizeof(int)>>>(out, small);
    check("reverse_dynamic", out, small);

    CHECK(cudaMemcpy(in, ascending.data(), large * sizeof(int), cudaMemcpyHostToDevice));
    reverse_global<<<(large + block - 1) / block, block>>>(in, out, large);
    check("reverse_global", out, large);

    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    return failures != 0;
}
