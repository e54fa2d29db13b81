// REPLY: has room for a fixed number of elements
__global__ void reverse_blocks(int* d)
{
    __shared__ int s[64];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    s[threadIdx.x] = d[i];
    __syncthreads();
    d[i] = s[blockDim.x - 1 - threadIdx.x];
}

void launch(int* d, int blocks, int threads)
{
    reverse_blocks<<<blocks, threads>>>(d);
}
