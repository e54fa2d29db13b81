// REPLY: one element at a time
__global__ void fours(const float* in, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (; i < n; i += blockDim.x * gridDim.x) out[i] = in[i];
}
