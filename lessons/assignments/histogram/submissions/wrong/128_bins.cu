// POINTS: 0
// FAILS: 512 bytes, one block
// REPLY: The kernel writes to a bin that doesn't exist. How many values can a
__global__ void histogram(const unsigned char* data, int n, unsigned* bins) {
    __shared__ unsigned own[128];
    if (threadIdx.x < 128) own[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&own[data[i]], 1);
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
}
