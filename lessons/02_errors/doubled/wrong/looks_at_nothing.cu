// REPLY: second `cudaMalloc` failed, but
__global__ void double_all(const int* in, int* out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = 2 * in[i];
}
cudaError_t doubled(const int* in, int* out, int n)
{
    int *d_in = nullptr, *d_out = nullptr;
    size_t bytes = n * sizeof(int);
    cudaMalloc(&d_in, bytes);
    cudaMalloc(&d_out, bytes);
    cudaMemcpy(d_in, in, bytes, cudaMemcpyHostToDevice);
    double_all<<<(n + 255) / 256, 256>>>(d_in, d_out, n);
    cudaMemcpy(out, d_out, bytes, cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_out);
    return cudaSuccess;
}
