// REPLY: You return the refusal,
__global__ void fill(int* p, int n, int value)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] = value;
}
cudaError_t checked_fill(int* p, int n, int value, int threads)
{
    cudaGetLastError();
    fill<<<(n + threads - 1) / threads, threads>>>(p, n, value);
    if (cudaPeekAtLastError() != cudaSuccess) return cudaPeekAtLastError();
    return cudaDeviceSynchronize();
}
