// POINTS: 8
// FAILS: the counting is done in shared memory, by all threads
// REPLY: Too few threads do the counting. Each thread of the block can take a
__global__ void histogram(const unsigned char* data, int n, unsigned* bins) {
    unsigned count = 0;
    for (int i = blockIdx.x; i < n; i += gridDim.x) count += data[i] == threadIdx.x;
    atomicAdd(&bins[threadIdx.x], count);
}
