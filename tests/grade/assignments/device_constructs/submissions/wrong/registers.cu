// POINTS: 2
// FAILS: in shared memory
// SAYS: the kernels do not work in shared memory
__global__ void rotate(int* data, int n, int shift) {
    const int mine = threadIdx.x < n ? data[(threadIdx.x + shift) % n] : 0;
    __syncthreads();
    if (threadIdx.x < n) data[threadIdx.x] = mine;
}
