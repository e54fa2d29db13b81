// POINTS: 3
// FAILS: 4000 bytes, 3 blocks, into bins that are not empty
// FAILS: other lengths, and few different values
// REPLY: The kernel must keep the counts that `bins` already holds, and add each
__global__ void histogram(const unsigned char* data, int n, unsigned* bins) {
    __shared__ unsigned own[256];
    own[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&own[data[i]], 1);
    __syncthreads();
    atomicExch(&bins[threadIdx.x], own[threadIdx.x]);
}
