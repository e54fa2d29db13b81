// REPLY: Every lane adds all elements, and the shuffles multiply that by 32
#include <cuda_fp16.h>
__global__ void mixed_dot(const half* a, const half* b, float* out, int n) {
    float sum = 0;
    for (int i = 0; i < n; i += 1) sum += __half2float(a[i]) * __half2float(b[i]);
    for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffff, sum, step);
    if (threadIdx.x == 0) *out = sum;
}
