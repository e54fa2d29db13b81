// POINTS: 3
// FAILS: without atomic operations
// SAYS: line 14: atomicExch
#ifdef __CUDACC_RTC__
#define PUT(place, value) atomicExch(place, value)
#else
#define PUT(place, value) *(place) = value
#endif
__global__ void rotate(int* data, int n, int shift) {
    __shared__ int tile[256];
    if (threadIdx.x < n) tile[threadIdx.x] = data[threadIdx.x];
    __syncthreads();
    const int mine = threadIdx.x < n ? tile[(threadIdx.x + shift) % n] : 0;
    if (threadIdx.x < n) PUT(&data[threadIdx.x], mine);
}
