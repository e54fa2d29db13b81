__global__ void sum(const int* data, int n, int* result) {
    __shared__ int of_warps[8];
    int own = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) own += data[i];
    for (int step = 16; step > 0; step /= 2) own += __shfl_down_sync(0xffffffff, own, step);
    if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = own;
    __syncthreads();
    if (threadIdx.x < 32) {
        own = threadIdx.x < 8 ? of_warps[threadIdx.x] : 0;
        for (int step = 4; step > 0; step /= 2) own += __shfl_down_sync(0xffffffff, own, step);
        if (threadIdx.x == 0) atomicAdd(result, own);
    }
}
