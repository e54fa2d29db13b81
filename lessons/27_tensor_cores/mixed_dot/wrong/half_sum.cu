// REPLY: stops growing
#include <cuda_fp16.h>
__global__ void mixed_dot(const half* a, const half* b, float* out, int n) {
    half sum = __float2half(0);
    for (int i = 0; i < n; i += 1) sum = __hadd(sum, __float2half(__half2float(a[i]) * __half2float(b[i])));
    if (threadIdx.x == 0) *out = __half2float(sum);
}
