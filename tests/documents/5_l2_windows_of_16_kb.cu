// Document 5: the example of a 16 KB set-aside with a 32 KB window, and of two windows of 16 KB in two streams. Added by
// the reader: the code; the text gives only the sizes and ratios.
#include <stdio.h>

__global__ void touch(int *data, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) data[i] += 1;
}

cudaError_t set_window(cudaStream_t stream, void *base, size_t bytes, float ratio) {
    cudaStreamAttrValue value = {};
    value.accessPolicyWindow.base_ptr = base;
    value.accessPolicyWindow.num_bytes = bytes;
    value.accessPolicyWindow.hitRatio = ratio;
    value.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
    value.accessPolicyWindow.missProp = cudaAccessPropertyStreaming;
    return cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &value);
}

int main() {
    const size_t KB = 1024;
    int *data;
    cudaMalloc(&data, 32 * KB);
    cudaMemset(data, 0, 32 * KB);
    cudaStream_t one, two;
    cudaStreamCreate(&one);
    cudaStreamCreate(&two);
    int failed = cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, 16 * KB) != cudaSuccess;

    for (float ratio : {0.5f, 1.0f}) {
        failed += set_window(one, data, 32 * KB, ratio) != cudaSuccess;
        touch<<<1, 256, 0, one>>>(data, int(32 * KB / sizeof(int)));
    }
    cudaStreamSynchronize(one);
    for (float ratio : {1.0f, 0.5f}) {
        failed += set_window(one, data, 16 * KB, ratio) != cudaSuccess;
        failed += set_window(two, (char *)data + 16 * KB, 16 * KB, ratio) != cudaSuccess;
        touch<<<1, 256, 0, one>>>(data, int(16 * KB / sizeof(int)));
        touch<<<1, 256, 0, two>>>(data + 16 * KB / sizeof(int), int(16 * KB / sizeof(int)));
    }
    cudaDeviceSynchronize();
    int first = 0, last = 0;
    cudaMemcpy(&first, data, sizeof(int), cudaMemcpyDeviceToHost);
    cudaMemcpy(&last, data + 32 * KB / sizeof(int) - 1, sizeof(int), cudaMemcpyDeviceToHost);
    cudaStreamDestroy(one);
    cudaStreamDestroy(two);
    cudaFree(data);
    printf("first %d, last %d, failed calls %d\n", first, last, failed);
    return !(first == 4 && last == 4 && failed == 0);
}
