// REPLY: needs a pointer to `float4`
__global__ void fours(const float* in, volatile float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (4 * i < n) out[4 * i] = in[4 * i];
    if (4 * i + 1 < n) out[4 * i + 1] = in[4 * i + 1];
    if (4 * i + 2 < n) out[4 * i + 2] = in[4 * i + 2];
    if (4 * i + 3 < n) out[4 * i + 3] = in[4 * i + 3];
}
