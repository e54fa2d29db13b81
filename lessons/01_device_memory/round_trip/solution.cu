__global__ void flip_signs(float* d, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) d[i] = -d[i];
}

cudaError_t negate(float* h, int n) {
    float* d;
    size_t size = n * sizeof(float);
    cudaError_t e = cudaMalloc(&d, size);
    if (e != cudaSuccess) return e;
    e = cudaMemcpy(d, h, size, cudaMemcpyHostToDevice);
    if (e == cudaSuccess) {
        flip_signs<<<(n + 255) / 256, 256>>>(d, n);
        e = cudaGetLastError();
    }
    if (e == cudaSuccess) e = cudaMemcpy(h, d, size, cudaMemcpyDeviceToHost);
    cudaError_t freed = cudaFree(d);
    return e != cudaSuccess ? e : freed;
}
