// REPLY: The kernel doesn't store the right elements yet
__global__ void positives(const float* in, float* out, int* count, int n) {
    if (threadIdx.x == 0) *count = 0;
}
