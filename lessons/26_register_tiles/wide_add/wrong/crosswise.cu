// REPLY: You added different members
__global__ void wide_add(const float* a, const float* b, float* c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n / 4) return;
    float4 u = ((const float4*)a)[i], v = ((const float4*)b)[i];
    ((float4*)c)[i] = make_float4(u.x + v.y, u.y + v.x, u.z + v.z, u.w + v.w);
}
