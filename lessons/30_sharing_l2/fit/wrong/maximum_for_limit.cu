// REPLY: You divide by what the device *could* set aside
#include <algorithm>

cudaError_t keep(cudaStream_t stream, float* data, size_t count) {
    cudaDeviceProp prop;
    cudaError_t error = cudaGetDeviceProperties(&prop, 0);
    if (error != cudaSuccess) return error;
    size_t set_aside = prop.persistingL2CacheMaxSize;

    size_t bytes = std::min(count * sizeof(float), size_t(prop.accessPolicyMaxWindowSize));
    cudaStreamAttrValue value = {};
    value.accessPolicyWindow.base_ptr = data;
    value.accessPolicyWindow.num_bytes = bytes;
    value.accessPolicyWindow.hitRatio = std::min(1.0, double(set_aside) / bytes);
    value.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
    value.accessPolicyWindow.missProp = cudaAccessPropertyStreaming;
    return cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &value);
}
