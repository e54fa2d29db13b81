// REPLY: the last element has the index `blockDim.x - 1`
__global__ void reverse_blocks(int* d)
{
    extern __shared__ int s[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    s[threadIdx.x] = d[i];
    __syncthreads();
    d[i] = s[blockDim.x - threadIdx.x];
}

void launch(int* d, int blocks, int threads)
{
    reverse_blocks<<<blocks, threads, threads * sizeof(int)>>>(d);
}
