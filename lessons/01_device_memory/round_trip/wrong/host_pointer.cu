// REPLY: The kernel gets `h`
__global__ void flip_signs(float* d, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) d[i] = -d[i];
}

cudaError_t negate(float* h, int n) {
    flip_signs<<<(n + 255) / 256, 256>>>(h, n);
    return cudaDeviceSynchronize();
}
