// POINTS: 2
// FAILS: in shared memory
// SAYS: nothing of that kind
#if 0
__shared__ int tile[256];
#endif
__device__ const char* about = "__shared__ int tile[256];";
__global__ void rotate(int* data, int n, int shift) {
    // __shared__ int tile[256];
    const int mine = threadIdx.x < n ? data[(threadIdx.x + shift) % n] : 0;
    __syncthreads();
    if (threadIdx.x < n) data[threadIdx.x] = mine;
}
