// REPLY: The device memory isn't
__global__ void flip_signs(float* d, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) d[i] = -d[i];
}

cudaError_t negate(float* h, int n) {
    float* d;
    cudaError_t e = cudaMalloc(&d, n * sizeof(float));
    if (e != cudaSuccess) return e;
    cudaMemcpy(d, h, n * sizeof(float), cudaMemcpyHostToDevice);
    flip_signs<<<(n + 255) / 256, 256>>>(d, n);
    return cudaMemcpy(h, d, n * sizeof(float), cudaMemcpyDeviceToHost);
}
