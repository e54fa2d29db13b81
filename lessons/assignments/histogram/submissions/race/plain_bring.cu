// POINTS: 7
// FAILS: no races, no accesses outside the arrays
// FAILS: each byte is read once, by neighbors
// REPLY: Several threads or blocks update the same bin in global memory at the
__global__ void histogram(const unsigned char* data, int n, unsigned* bins) {
    __shared__ unsigned own[256];
    own[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&own[data[i]], 1);
    __syncthreads();
    bins[threadIdx.x] += own[threadIdx.x];
}
