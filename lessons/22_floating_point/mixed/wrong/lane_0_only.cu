// REPLY: Each lane has a part of the sum
#include <cuda_fp16.h>
__global__ void dot(const half* a, const half* b, int n, float* result) {
    float sum = 0;
    for (int i = threadIdx.x; i < n; i += 32) sum += __half2float(a[i]) * __half2float(b[i]);
    if (threadIdx.x == 0) *result = sum;
}
