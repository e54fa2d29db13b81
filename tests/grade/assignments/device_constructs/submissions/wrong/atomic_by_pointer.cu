// POINTS: 3
// FAILS: without atomic operations
// SAYS: line 4: atomicExch
__device__ int (*const put)(int*, int) = atomicExch;
__global__ void rotate(int* data, int n, int shift) {
    __shared__ int tile[256];
    if (threadIdx.x < n) tile[threadIdx.x] = data[threadIdx.x];
    __syncthreads();
    const int mine = threadIdx.x < n ? tile[(threadIdx.x + shift) % n] : 0;
    if (threadIdx.x < n) put(&data[threadIdx.x], mine);
}
