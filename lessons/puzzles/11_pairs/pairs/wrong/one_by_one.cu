// REPLY: Load the whole `float2`
__global__ void pairs(const float2* in, float* xs, float* ys, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        xs[i] = in[i].x;
        ys[i] = in[i].y;
    }
}
