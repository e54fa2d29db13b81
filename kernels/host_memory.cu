// Memory of the host. Page-locked (pinned) memory is copied directly and asynchronously, and kernels can work on it; it
// is scarce, so pin the buffers of copies and no more.
//   pinned          an asynchronous copy there and back; the buffer is the device's until somebody has waited
//   mapped          a kernel reads and writes host memory through its device pointer: no copies
//   write-combined  quick to fill and to copy from; the host never reads it
//   registered      memory that was allocated otherwise, pinned for a while
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

constexpr int n = 10000, block = 256, grid = (n + block - 1) / block;
constexpr size_t bytes = n * sizeof(int);

__global__ void square_all(int* out, const int* in, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) out[i] = in[i] * in[i];
}

void fill(int* host) {
    for (int i = 0; i < n; ++i) host[i] = i;
}

int failures = 0;

void check(const char* name, const int* squares) {
    int wrong = 0;
    for (int i = 0; i < n; ++i) wrong += squares[i] != i * i;
    printf("%s: %d wrong\n", name, wrong);
    failures += wrong;
}

// From `source` to the device, squared there, and to `result`, all in the stream's order. Both are pinned.
void square_by_copies(int* result, const int* source, cudaStream_t stream) {
    int* device;
    CHECK(cudaMalloc(&device, bytes));
    CHECK(cudaMemcpyAsync(device, source, bytes, cudaMemcpyHostToDevice, stream));
    square_all<<<grid, block, 0, stream>>>(device, device, n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyAsync(result, device, bytes, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));  // until now neither buffer was ours
    CHECK(cudaFree(device));
}

int main() {
    cudaDeviceProp device;
    CHECK(cudaGetDeviceProperties(&device, 0));
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));

    // Portable: pinned for all devices of the process, not only for the current one.
    int *pinned, *filled;
    CHECK(cudaHostAlloc(&pinned, bytes, cudaHostAllocPortable));
    fill(pinned);
    square_by_copies(pinned, pinned, stream);
    check("pinned", pinned);

    CHECK(cudaHostAlloc(&filled, bytes, cudaHostAllocWriteCombined));
    fill(filled);
    square_by_copies(pinned, filled, stream);
    check("write-combined", pinned);
    CHECK(cudaFreeHost(filled));

    std::vector<int> vector(n);
    fill(vector.data());
    CHECK(cudaHostRegister(vector.data(), bytes, cudaHostRegisterDefault));
    square_by_copies(vector.data(), vector.data(), stream);
    CHECK(cudaHostUnregister(vector.data()));
    check("registered", vector.data());

    if (device.canMapHostMemory) {
        int *mapped, *seen_by_device;
        CHECK(cudaHostAlloc(&mapped, bytes, cudaHostAllocMapped));
        // The same address as the host's, where host and device share one address space; old devices do not.
        CHECK(cudaHostGetDevicePointer(&seen_by_device, mapped, 0));
        fill(mapped);
        square_all<<<grid, block, 0, stream>>>(seen_by_device, seen_by_device, n);
        CHECK(cudaGetLastError());
        CHECK(cudaStreamSynchronize(stream));  // before it, the host must neither read nor write there
        check("mapped", mapped);
        CHECK(cudaFreeHost(mapped));
    } else {
        printf("mapped: this device does not map host memory\n");
    }
    CHECK(cudaFreeHost(pinned));
    CHECK(cudaStreamDestroy(stream));
    return failures != 0;
}
