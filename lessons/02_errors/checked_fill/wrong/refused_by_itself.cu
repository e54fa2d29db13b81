// REPLY: but the last error is still set. Which call clears it
__global__ void fill(int* p, int n, int value)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] = value;
}

cudaError_t checked_fill(int* p, int n, int value, int threads)
{
    cudaGetLastError();  // a note that is older than this launch is not ours
    fill<<<(n + threads - 1) / threads, threads>>>(p, n, value);
    if (threads > 1024) return cudaErrorInvalidValue;
    return cudaDeviceSynchronize();
}
