// REPLY: Which elements did this block write to its own array?
__global__ void reverse_blocks(int* d)
{
    extern __shared__ int s[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    s[threadIdx.x] = d[i];
    __syncthreads();
    d[i] = s[gridDim.x * blockDim.x - 1 - i];
}

void launch(int* d, int blocks, int threads)
{
    reverse_blocks<<<blocks, threads, threads * sizeof(int)>>>(d);
}
