// POINTS: 3
// FAILS: halves are added
// SAYS: 32 of 64 elements of sum are wrong; the first is sum[4][0]
#include <cuda_bf16.h>
#include <cuda_fp16.h>

__global__ void add(half* sum, const half* a, const half* b, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) sum[i] = i < 32 ? a[i] + b[i] : a[i];
}

__global__ void narrow(nv_bfloat16* out, const float* in, int n) {
    const int i = threadIdx.x;
    if (i < n) out[i] = __float2bfloat16(in[i]);
}

__global__ void next(long long* data, int n) {
    const int i = threadIdx.x;
    if (i < n) data[i] = data[i] + 1;
}
