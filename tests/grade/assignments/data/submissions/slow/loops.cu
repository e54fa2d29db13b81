// POINTS: 4
// FAILS: it takes about as long as the solution
// SAYS: at most 1.5 times the solution's
#include <cuda_bf16.h>
#include <cuda_fp16.h>

__global__ void add(half* sum, const half* a, const half* b, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    half turned = a[i] + b[i];
    for (int k = 0; k < 20000; ++k) turned = -turned * half(1);
    sum[i] = turned;
}

__global__ void narrow(nv_bfloat16* out, const float* in, int n) {
    const int i = threadIdx.x;
    if (i < n) out[i] = __float2bfloat16(in[i]);
}

__global__ void next(long long* data, int n) {
    const int i = threadIdx.x;
    if (i < n) data[i] = data[i] + 1;
}
