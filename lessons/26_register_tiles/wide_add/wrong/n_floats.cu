// REPLY: counts groups of four
__global__ void wide_add(const float* a, const float* b, float* c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
    float4 u = ((const float4*)a)[i], v = ((const float4*)b)[i];
    ((float4*)c)[i] = make_float4(u.x + v.x, u.y + v.y, u.z + v.z, u.w + v.w);
    }
}
