// REPLY: The grid is one
__global__ void fill(int* p, int n, int value)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] = value;
}
cudaError_t checked_fill(int* p, int n, int value, int threads)
{
    cudaGetLastError();
    fill<<<1, threads>>>(p, n, value);
    cudaError_t accepted = cudaGetLastError();
    if (accepted != cudaSuccess) return accepted;
    return cudaDeviceSynchronize();
}
