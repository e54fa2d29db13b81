// REPLY: Is `fill` launched
__global__ void fill(int* p, int n, int value)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] = value;
}

cudaError_t checked_fill(int* p, int n, int value, int threads)
{
    cudaGetLastError();  // a note that is older than this launch is not ours
    cudaError_t accepted = cudaGetLastError();  // reads the note and takes it away
    if (accepted != cudaSuccess) return accepted;
    return cudaDeviceSynchronize();
}
