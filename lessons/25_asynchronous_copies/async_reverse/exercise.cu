#include <cuda_pipeline.h>
__global__ void async_reverse(const float4* in, float4* out) {
    __shared__ float4 tile[64];
    int t = threadIdx.x;
    // Your code.
}
