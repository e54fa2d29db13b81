#include <algorithm>

// Opens a window over `count` floats at `data` that never wants more to persist than is set aside.
cudaError_t keep(cudaStream_t stream, float* data, size_t count) {
    cudaStreamAttrValue value = {};
    // How wide, and which share?
    return cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &value);
}
