// POINTS: 0
// FAILS: 512 bytes, one block
// REPLY: Several threads count in the same bin of the block at the same time.
__global__ void histogram(const unsigned char* data, int n, unsigned* bins) {
    __shared__ unsigned own[256];
    own[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) ++own[data[i]];
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
}
