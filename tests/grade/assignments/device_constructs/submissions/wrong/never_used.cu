// POINTS: 2
// FAILS: in shared memory
// SAYS: which was not executed
__global__ void rotate(int* data, int n, int shift) {
    if (n < 0) {
        __shared__ int tile[256];
        tile[threadIdx.x] = shift;
        data[0] = tile[n + 5];
    }
    const int mine = threadIdx.x < n ? data[(threadIdx.x + shift) % n] : 0;
    __syncthreads();
    if (threadIdx.x < n) data[threadIdx.x] = mine;
}
