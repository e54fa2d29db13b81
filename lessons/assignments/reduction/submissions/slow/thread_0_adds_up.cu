// POINTS: 8
// FAILS: the threads of a block work together
// REPLY: One thread does nearly all the work while 255 wait. In how many
__global__ void sum(const int* data, int n, int* result) {
    __shared__ int parts[256];
    int own = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) own += data[i];
    parts[threadIdx.x] = own;
    __syncthreads();
    if (threadIdx.x == 0) {
        int all = 0;
        for (int k = 0; k < 256; ++k) all += *(volatile int*)&parts[k];
        atomicAdd(result, all);
    }
}
