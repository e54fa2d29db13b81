// POINTS: 2
// FAILS: in shared memory
// SAYS: rotate: 1200 bytes
__global__ void rotate(int* data, int n, int shift) {
    __shared__ int tile[300];
    if (threadIdx.x < n) tile[threadIdx.x] = data[threadIdx.x];
    __syncthreads();
    if (threadIdx.x < n) data[threadIdx.x] = tile[(threadIdx.x + shift) % n];
}
