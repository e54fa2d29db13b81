// REPLY: Round down
__global__ void fours(const float* in, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < (n + 3) / 4) ((float4*)out)[i] = ((const float4*)in)[i];
}
