// REPLY: second `cudaMalloc` failed, you
__global__ void double_all(const int* in, int* out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = 2 * in[i];
}
cudaError_t doubled(const int* in, int* out, int n)
{
    int *d_in = nullptr, *d_out = nullptr;
    size_t bytes = n * sizeof(int);
    cudaError_t status = cudaMalloc(&d_in, bytes);
    if (status != cudaSuccess) return status;
    status = cudaMalloc(&d_out, bytes);
    if (status != cudaSuccess) return status;
    status = cudaMemcpy(d_in, in, bytes, cudaMemcpyHostToDevice);
    if (status != cudaSuccess) return status;
    double_all<<<(n + 255) / 256, 256>>>(d_in, d_out, n);
    status = cudaGetLastError();
    if (status == cudaSuccess) status = cudaMemcpy(out, d_out, bytes, cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_out);
    return status;
}
