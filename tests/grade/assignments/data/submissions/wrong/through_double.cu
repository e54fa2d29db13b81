// POINTS: 4
// FAILS: no digit of 64 bits is lost
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
    if (i < n) data[i] = (long long)((double)data[i] + 1);
}
