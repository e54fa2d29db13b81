// REPLY: Does the sum contain every product exactly once?
#include <cuda_fp16.h>
__global__ void dot(const half* a, const half* b, int n, float* result) {
    float sum = 0;
    for (int i = threadIdx.x; i < n; i += 16) sum += __half2float(a[i]) * __half2float(b[i]);
    for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffff, sum, step);
    if (threadIdx.x == 0) *result = sum;
}
