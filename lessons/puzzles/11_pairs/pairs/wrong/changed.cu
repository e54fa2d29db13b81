// REPLY: changed places
__global__ void pairs(const float2* in, float* xs, float* ys, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) { xs[i] = in[i].y; ys[i] = in[i].x; }
}
