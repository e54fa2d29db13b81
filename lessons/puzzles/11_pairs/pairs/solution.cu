__global__ void pairs(const float2* in, float* xs, float* ys, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float2 p = in[i];
    xs[i] = p.x;
    ys[i] = p.y;
}
