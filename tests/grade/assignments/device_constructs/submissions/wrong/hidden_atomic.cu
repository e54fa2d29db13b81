// POINTS: 3
// FAILS: without atomic operations
// SAYS: line 9: atomicAdd
#define JOIN(a, b) a##b
__global__ void rotate(int* data, int n, int shift) {
    __shared__ int tile[256];
    if (threadIdx.x < n) tile[threadIdx.x] = data[threadIdx.x];
    __syncthreads();
    if (threadIdx.x < n) data[threadIdx.x] = 0, JOIN(ato, micAdd)(&data[threadIdx.x], tile[(threadIdx.x + shift) % n]);
}
