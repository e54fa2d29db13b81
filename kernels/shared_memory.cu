// Dynamic shared memory: its size comes with the launch, it is one array however many a kernel wants, and beyond 48 KB
// each kernel must ask for it. reversal.cu has the first steps, with arrays whose size the compiler knows.
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

// Three arrays in one, cut with pointers. The type of greatest alignment comes first: then each array begins at a
// multiple of its elements' size, whatever the counts are.
__global__ void reverse_three(double* doubles, int doubles_n, int* ints, int ints_n, char* chars, int chars_n) {
    extern __shared__ double memory[];
    double* double_part = memory;
    int* int_part = (int*)&double_part[doubles_n];
    char* char_part = (char*)&int_part[ints_n];
    int t = threadIdx.x;
    for (int i = t; i < doubles_n; i += blockDim.x) double_part[i] = doubles[i];
    for (int i = t; i < ints_n; i += blockDim.x) int_part[i] = ints[i];
    for (int i = t; i < chars_n; i += blockDim.x) char_part[i] = chars[i];
    __syncthreads();  // what a thread reads now was written by another one
    for (int i = t; i < doubles_n; i += blockDim.x) doubles[i] = double_part[doubles_n - 1 - i];
    for (int i = t; i < ints_n; i += blockDim.x) ints[i] = int_part[ints_n - 1 - i];
    for (int i = t; i < chars_n; i += blockDim.x) chars[i] = char_part[chars_n - 1 - i];
}

// Any n whose elements fit into the shared memory of one block.
__global__ void reverse(int* data, int n) {
    extern __shared__ int copy[];
    for (int i = threadIdx.x; i < n; i += blockDim.x) copy[i] = data[i];
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) data[i] = copy[n - 1 - i];
}

// Elements first, first + 1, ... in device memory. cudaFree is the caller's.
template <class T>
T* ascending(int n, int first) {
    std::vector<T> host(n);
    for (int i = 0; i < n; ++i) host[i] = T(first + i);
    T* device;
    CHECK(cudaMalloc(&device, n * sizeof(T)));
    CHECK(cudaMemcpy(device, host.data(), n * sizeof(T), cudaMemcpyHostToDevice));
    return device;
}

// How many are not in the opposite order.
template <class T>
int wrong(const T* device, int n, int first) {
    std::vector<T> host(n);
    CHECK(cudaMemcpy(host.data(), device, n * sizeof(T), cudaMemcpyDeviceToHost));
    int count = 0;
    for (int i = 0; i < n; ++i) count += host[i] != T(first + n - 1 - i);
    return count;
}

int main() {
    const int doubles_n = 33, ints_n = 77, chars_n = 5, block = 64;  // none of them even
    double* doubles = ascending<double>(doubles_n, 100);
    int* ints = ascending<int>(ints_n, 1000);
    char* chars = ascending<char>(chars_n, 'a');
    reverse_three<<<1, block, doubles_n * sizeof(double) + ints_n * sizeof(int) + chars_n * sizeof(char)>>>(
        doubles, doubles_n, ints, ints_n, chars, chars_n);
    CHECK(cudaGetLastError());
    int failures = wrong(doubles, doubles_n, 100) + wrong(ints, ints_n, 1000) + wrong(chars, chars_n, 'a');
    printf("reverse_three: %d wrong\n", failures);
    CHECK(cudaFree(doubles));
    CHECK(cudaFree(ints));
    CHECK(cudaFree(chars));

    // Without asking, a launch may take as much as this; more is refused, though the device has it.
    int unasked, most;
    CHECK(cudaDeviceGetAttribute(&unasked, cudaDevAttrMaxSharedMemoryPerBlock, 0));
    CHECK(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
    if (most <= unasked) {
        printf("this device has no shared memory beyond %d bytes a block: reverse is left out\n", unasked);
        return failures != 0;
    }
    const int n = most / sizeof(int);
    int* data = ascending<int>(n, 0);
    reverse<<<1, 256, n * sizeof(int)>>>(data, n);
    const bool refused = cudaGetLastError() != cudaSuccess;
    printf("reverse without asking: %s\n", refused ? "refused" : "accepted");
    // The static shared memory of the kernel counts, too; this one has none.
    CHECK(cudaFuncSetAttribute(reverse, cudaFuncAttributeMaxDynamicSharedMemorySize, n * sizeof(int)));
    reverse<<<1, 256, n * sizeof(int)>>>(data, n);
    CHECK(cudaGetLastError());
    const int wrong_now = wrong(data, n, 0);
    printf("reverse, all that a block may have: %d wrong\n", wrong_now);
    CHECK(cudaFree(data));
    return failures + wrong_now != 0 || !refused;
}
