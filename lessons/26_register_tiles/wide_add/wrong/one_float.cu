// REPLY: one float at a time
__global__ void wide_add(const float* a, const float* b, float* c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (; i < n; i += gridDim.x * blockDim.x) c[i] = a[i] + b[i];
}
