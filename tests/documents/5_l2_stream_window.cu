// Document 5: an access-policy window as an attribute of a stream. Added by the reader: the stream, the memory, and a
// look at what the stream says afterwards.
#include <stdio.h>

int main() {
    const size_t num_bytes = 1 << 20;
    float *ptr;
    cudaMalloc(&ptr, num_bytes);
    cudaStream_t stream;
    cudaStreamCreate(&stream);

    cudaStreamAttrValue stream_attribute;
    stream_attribute.accessPolicyWindow.base_ptr  = reinterpret_cast<void*>(ptr);
    stream_attribute.accessPolicyWindow.num_bytes = num_bytes;
    stream_attribute.accessPolicyWindow.hitRatio  = 0.6;
    stream_attribute.accessPolicyWindow.hitProp   = cudaAccessPropertyPersisting;
    stream_attribute.accessPolicyWindow.missProp  = cudaAccessPropertyStreaming;

    cudaError_t error = cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &stream_attribute);

    cudaStreamAttrValue now = {};
    cudaStreamGetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &now);
    bool same = now.accessPolicyWindow.base_ptr == ptr && now.accessPolicyWindow.num_bytes == num_bytes &&
                now.accessPolicyWindow.hitProp == cudaAccessPropertyPersisting;
    printf("%s, the window is the stream's: %s\n", cudaGetErrorName(error), same ? "yes" : "no");
    cudaStreamDestroy(stream);
    cudaFree(ptr);
    return !(error == cudaSuccess && same);
}
