// POINTS: 3
// FAILS: without atomic operations
// SAYS: line 10: atomicAdd
__global__ void rotate(int* data, int n, int shift) {
    __shared__ int tile[256];
    if (threadIdx.x < n) tile[threadIdx.x] = data[threadIdx.x];
    __syncthreads();
    const int mine = threadIdx.x < n ? tile[(threadIdx.x + shift) % n] : 0;
    if (threadIdx.x < n) data[threadIdx.x] = mine;
    if (n > 100000) atomicAdd(data, 1);
}
