// POINTS: 8
// FAILS: the counting is done in shared memory, by all threads
// REPLY: Too few threads count. Let each thread of the block take one byte at a
__global__ void histogram(const unsigned char* data, int n, unsigned* bins) {
    unsigned count = 0;
    for (int i = blockIdx.x; i < n; i += gridDim.x) count += data[i] == threadIdx.x;
    atomicAdd(&bins[threadIdx.x], count);
}
