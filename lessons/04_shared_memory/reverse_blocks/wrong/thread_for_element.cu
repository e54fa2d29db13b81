// REPLY: All blocks then work on the elements of block 0
__global__ void reverse_blocks(int* d)
{
    extern __shared__ int s[];
    int i = threadIdx.x;
    s[i] = d[i];
    __syncthreads();
    d[i] = s[blockDim.x - 1 - threadIdx.x];
}

void launch(int* d, int blocks, int threads)
{
    reverse_blocks<<<blocks, threads, threads * sizeof(int)>>>(d);
}
