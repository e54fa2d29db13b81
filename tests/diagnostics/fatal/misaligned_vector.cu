#include "cases.h"
// ENDS
// CASE misaligned_vector
__global__ void k(const float* in, float4* out) {
    out[threadIdx.x] = *reinterpret_cast<const float4*>(in + threadIdx.x);  // FIND misaligned-access
}
int main() {
    k<<<1, 32>>>(counted<float>(64), raw<float4>(32));
    return cudaDeviceSynchronize() != cudaSuccess;
}
