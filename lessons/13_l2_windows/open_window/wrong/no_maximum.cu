// REPLY: wider than the device allows
#include <algorithm>

cudaError_t open_window(cudaStream_t stream, void* base, size_t bytes)
{
    cudaDeviceProp prop;
    cudaGetDeviceProperties(&prop, 0);
    cudaStreamAttrValue value = {};
    value.accessPolicyWindow.base_ptr = base;
    value.accessPolicyWindow.num_bytes = bytes;
    value.accessPolicyWindow.hitRatio = 1.0f;
    value.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
    value.accessPolicyWindow.missProp = cudaAccessPropertyStreaming;
    return cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &value);
}
