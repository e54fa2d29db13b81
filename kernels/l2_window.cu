// A window into the L2 cache: accesses of kernels in one stream to one range are to persist in the part of L2 that is
// set aside. A window changes no result; whether it helps, only a measurement on the device tells. Afterwards all is
// given back: the window, the lines that persist, and the part of L2.
#include <stdio.h>
#include <stdlib.h>

#include <algorithm>
#include <vector>

// Ends the program at the first call that fails.
void end_unless_success(cudaError_t status, const char* call, int line) {
    if (status == cudaSuccess) return;
    fprintf(stderr, "line %d: %s gave %s\n", line, call, cudaGetErrorName(status));
    exit(1);
}
#define CHECK(call) end_unless_success(call, #call, __LINE__)

// Reads a small table again and again while the data streams by: the table is what should stay in L2.
__global__ void look_up(int* data, int n, const int* table, int table_n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        data[i] = table[unsigned(data[i]) % table_n];
}

// A window over `bytes` bytes from `base`; of none: the stream has no window any more.
void set_window(cudaStream_t stream, void* base, size_t bytes, float hit_ratio) {
    cudaStreamAttrValue value = {};
    value.accessPolicyWindow.base_ptr = base;
    value.accessPolicyWindow.num_bytes = bytes;
    value.accessPolicyWindow.hitRatio = hit_ratio;
    value.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
    value.accessPolicyWindow.missProp = cudaAccessPropertyStreaming;
    CHECK(cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &value));
}

int main() {
    const int n = 100000, table_n = 4096;
    std::vector<int> data(n), table(table_n), expected(n);
    for (int i = 0; i < table_n; ++i) table[i] = 3 * i + 1;
    for (int i = 0; i < n; ++i) expected[i] = table[(data[i] = i * 7) % table_n];
    int *ddata, *dtable;
    cudaStream_t stream;
    CHECK(cudaMalloc(&ddata, n * sizeof(int)));
    CHECK(cudaMalloc(&dtable, table_n * sizeof(int)));
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaMemcpy(ddata, data.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(dtable, table.data(), table_n * sizeof(int), cudaMemcpyHostToDevice));

    // 0 on devices before 8.0, and where a GPU is cut into instances (MIG): then there is no window, and all else is
    // the same.
    cudaDeviceProp device;
    CHECK(cudaGetDeviceProperties(&device, 0));
    const bool windows = device.persistingL2CacheMaxSize > 0;
    size_t before = 0;
    if (windows) {
        CHECK(cudaDeviceGetLimit(&before, cudaLimitPersistingL2CacheSize));
        const size_t wanted = std::min(size_t(device.l2CacheSize) * 3 / 4, size_t(device.persistingL2CacheMaxSize));
        CHECK(cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, wanted));
        // The hardware sets whole units aside: what was got, not what was asked for, is what windows share.
        size_t set_aside;
        CHECK(cudaDeviceGetLimit(&set_aside, cudaLimitPersistingL2CacheSize));
        const size_t bytes = std::min(table_n * sizeof(int), size_t(device.accessPolicyMaxWindowSize));
        // A window wider than the part that is set aside would throw out its own lines: then a share of it persists.
        set_window(stream, dtable, bytes, std::min(1.0f, float(set_aside) / float(bytes)));
    }

    look_up<<<16, 256, 0, stream>>>(ddata, n, dtable, table_n);
    CHECK(cudaGetLastError());
    CHECK(cudaStreamSynchronize(stream));

    if (windows) {
        set_window(stream, nullptr, 0, 0);       // later kernels mark nothing
        CHECK(cudaCtxResetPersistingL2Cache());  // what is marked already is normal again
        CHECK(cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, before));
    }
    CHECK(cudaMemcpy(data.data(), ddata, n * sizeof(int), cudaMemcpyDeviceToHost));
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(ddata));
    CHECK(cudaFree(dtable));
    int wrong = 0;
    for (int i = 0; i < n; ++i) wrong += data[i] != expected[i];
    printf("look_up, %s: %d wrong\n", windows ? "with a window" : "this device has no windows", wrong);
    return wrong != 0;
}
