// REPLY: The numbers are right,
__global__ void flip_signs(float* d, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) d[i] = -d[i];
}

cudaError_t negate(float* h, int n) {
    for (int i = 0; i < n; ++i) h[i] = -h[i];
    return cudaSuccess;
}
