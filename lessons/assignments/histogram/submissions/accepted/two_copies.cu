// Two copies of the bins: even and odd warps do not meet.
__global__ void histogram(const unsigned char* data, int n, unsigned* bins) {
    __shared__ unsigned own[2][256];
    own[0][threadIdx.x] = own[1][threadIdx.x] = 0;
    __syncthreads();
    unsigned* mine = own[threadIdx.x / 32 % 2];
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&mine[data[i]], 1u);
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], own[0][threadIdx.x] + own[1][threadIdx.x]);
}
