// REPLY: A `float4*` already counts in groups
__global__ void wide_add(const float* a, const float* b, float* c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (4 * i >= n / 4) return;
    float4 u = ((const float4*)a)[4 * i], v = ((const float4*)b)[4 * i];
    ((float4*)c)[4 * i] = make_float4(u.x + v.x, u.y + v.y, u.z + v.z, u.w + v.w);
}
