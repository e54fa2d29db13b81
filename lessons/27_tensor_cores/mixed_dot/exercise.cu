#include <cuda_fp16.h>
__global__ void mixed_dot(const half* a, const half* b, float* out, int n) {
    // Your code.
}
