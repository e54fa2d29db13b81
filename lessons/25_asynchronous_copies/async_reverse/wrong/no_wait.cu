// REPLY: No thread waits for the copies
#include <cuda_pipeline.h>
__global__ void async_reverse(const float4* in, float4* out) {
    __shared__ float4 tile[64];
    int t = threadIdx.x;
    __pipeline_memcpy_async(&tile[t], &in[t], 16);
    __pipeline_commit();
    __syncthreads();
    out[t] = tile[63 - t];
}
