// REPLY: The sum is still a `half`
#include <cuda_fp16.h>
__global__ void dot(const half* a, const half* b, int n, float* result) {
    half sum = 0;
    for (int i = threadIdx.x; i < n; i += 32) sum = __hfma(a[i], b[i], sum);
    for (int step = 16; step > 0; step /= 2) sum = __hadd(sum, __shfl_down_sync(0xffffffff, sum, step));
    if (threadIdx.x == 0) *result = __half2float(sum);
}
