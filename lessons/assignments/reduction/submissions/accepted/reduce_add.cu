__global__ void sum(const int* data, int n, int* result) {
    __shared__ int block_sum;
    if (threadIdx.x == 0) block_sum = 0;
    __syncthreads();
    int own = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) own += data[i];
    own = __reduce_add_sync(0xffffffff, own);
    if (threadIdx.x % 32 == 0) atomicAdd(&block_sum, own);
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(result, block_sum);
}
