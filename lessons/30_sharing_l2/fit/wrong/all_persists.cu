// REPLY: You ask for the whole window to persist, however large it is
#include <algorithm>

cudaError_t keep(cudaStream_t stream, float* data, size_t count) {
    cudaDeviceProp prop;
    cudaError_t error = cudaGetDeviceProperties(&prop, 0);
    if (error != cudaSuccess) return error;
    size_t set_aside;
    error = cudaDeviceGetLimit(&set_aside, cudaLimitPersistingL2CacheSize);
    if (error != cudaSuccess) return error;

    size_t bytes = std::min(count * sizeof(float), size_t(prop.accessPolicyMaxWindowSize));
    cudaStreamAttrValue value = {};
    value.accessPolicyWindow.base_ptr = data;
    value.accessPolicyWindow.num_bytes = bytes;
    value.accessPolicyWindow.hitRatio = 1.0f;
    value.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
    value.accessPolicyWindow.missProp = cudaAccessPropertyStreaming;
    return cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &value);
}
