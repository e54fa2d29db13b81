// POINTS: 0
// FAILS: 512 bytes, one block
// REPLY: Several threads of a block update the same bin in shared memory at the
__global__ void histogram(const unsigned char* data, int n, unsigned* bins) {
    __shared__ unsigned own[256];
    own[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) ++own[data[i]];
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
}
