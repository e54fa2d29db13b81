// POINTS: 6
// FAILS: few atomic operations on global memory
// REPLY: The counts are right, but each byte costs an atomic operation on global
__global__ void histogram(const unsigned char* data, int n, unsigned* bins) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&bins[data[i]], 1u);
}
