// REPLY: The elements after the
__global__ void fours(const float* in, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 4) ((float4*)out)[i] = ((const float4*)in)[i];
}
