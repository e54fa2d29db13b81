// REPLY: Which function lets the device use the memory where it is?
__global__ void double_each(int* p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] *= 2;
}
cudaError_t twice(int* data, int n) {
    int* d;
    cudaMalloc(&d, n * sizeof(int));
    cudaMemcpy(d, data, n * sizeof(int), cudaMemcpyHostToDevice);
    double_each<<<(n + 255) / 256, 256>>>(d, n);
    cudaMemcpy(data, d, n * sizeof(int), cudaMemcpyDeviceToHost);
    return cudaFree(d);
}
