// REPLY: wait_prior(1) doesn't wait for the newest batch, and there is only one batch
#include <cuda_pipeline.h>
__global__ void async_reverse(const float4* in, float4* out) {
    __shared__ float4 tile[64];
    int t = threadIdx.x;
    __pipeline_memcpy_async(&tile[t], &in[t], 16);
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    out[t] = tile[63 - t];
}
