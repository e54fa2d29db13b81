// EQUAL: add takes every size for 64 (it is only launched with 64)
// EQUAL: narrow works in block 0 alone (it is launched with one block)
// EQUAL: narrow takes every size for 64 (it is only launched with fewer)
// EQUAL: next works in block 0 alone (it is launched with one block)
#include <cuda_bf16.h>
#include <cuda_fp16.h>

__global__ void add(half* sum, const half* a, const half* b, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) sum[i] = a[i] + b[i];
}

__global__ void narrow(nv_bfloat16* out, const float* in, int n) {
    const int i = threadIdx.x;
    if (i < n) out[i] = __float2bfloat16(in[i]);
}

__global__ void next(long long* data, int n) {
    const int i = threadIdx.x;
    if (i < n) data[i] = data[i] + 1;
}
