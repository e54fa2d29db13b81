// POINTS: 8
// FAILS: the counting is done in shared memory, by all threads
// REPLY: Too few threads count. Let each thread of the block take one byte at a
__global__ void histogram(const unsigned char* data, int n, unsigned* bins) {
    __shared__ unsigned own[256];
    own[threadIdx.x] = 0;
    __syncthreads();
    if (threadIdx.x == 0)
        for (int i = blockIdx.x; i < n; i += gridDim.x) ++own[data[i]];
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
}
