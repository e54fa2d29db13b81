// What access policy windows do to times: each launch reads a part again and again while it streams through another.
// `PROGRAM times N` as the others; without it the launches are made once.
#include "launches.h"

constexpr int M = 1 << 20;

// For each word of the streamed memory one of the `kept` words is read, by all threads in turn.
__global__ void keep_and_stream(const int* kept, unsigned kept_words, const int* streamed, int* out, int times) {
    const unsigned all = gridDim.x * blockDim.x;
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    int sum = 0;
    for (int k = 0; k < times; ++k, i += all) sum += kept[i % kept_words] + streamed[i];
    if (sum == 12345) out[0] = sum;
}

int main(int count, char** arguments) {
    start(count, arguments);
    cudaDeviceProp properties = {};
    must(cudaGetDeviceProperties(&properties, 0), "cudaGetDeviceProperties");
    int *kept = zeros<int>(32 * M), *streamed = zeros<int>(64 * M), *out = zeros<int>(1);
    cudaStream_t stream = nullptr;  // windows are those of the default stream
    auto measure = [&](const char* name, int megabytes) {
        launch(std::string(name) + ":" + std::to_string(megabytes), keep_and_stream, 1024, 256, 0, kept,
               (unsigned)(megabytes * (M / 4)), streamed, out, 256);
    };
    auto window = [&](int megabytes, float ratio, cudaAccessProperty hit, cudaAccessProperty miss) {
        cudaStreamAttrValue value = {};
        value.accessPolicyWindow.base_ptr = kept;
        value.accessPolicyWindow.num_bytes = (size_t)megabytes * M;
        value.accessPolicyWindow.hitRatio = ratio;
        value.accessPolicyWindow.hitProp = hit;
        value.accessPolicyWindow.missProp = miss;
        must(cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &value), "cudaStreamSetAttribute");
    };
    const int sizes[] = {4, 10, 20, 30, 40, 60, 100};
    for (int size : sizes) measure("none", size);
    must(cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, 30 * M), "cudaDeviceSetLimit");
    for (int size : sizes) {
        window(size, 1.0f, cudaAccessPropertyPersisting, cudaAccessPropertyStreaming);
        measure("whole", size);
        cudaCtxResetPersistingL2Cache();
    }
    for (int size : sizes) {
        window(size, size > 20 ? 20.0f / size : 1.0f, cudaAccessPropertyPersisting, cudaAccessPropertyStreaming);
        measure("fitting", size);
        cudaCtxResetPersistingL2Cache();
    }
    for (int size : sizes) {
        window(size, 1.0f, cudaAccessPropertyStreaming, cudaAccessPropertyStreaming);
        measure("streaming", size);
        cudaCtxResetPersistingL2Cache();
    }
    window(0, 0, cudaAccessPropertyNormal, cudaAccessPropertyNormal);
    cudaFree(kept);
    cudaFree(streamed);
    cudaFree(out);
    return finish();
}
