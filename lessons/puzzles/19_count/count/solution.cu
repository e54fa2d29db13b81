__global__ void count(const int* in, int n, int* total) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int found = __syncthreads_count(i < n && in[i] > 0);
    if (threadIdx.x == 0) atomicAdd(total, found);
}
