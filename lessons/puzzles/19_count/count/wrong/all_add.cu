// REPLY: One of them is enough
__global__ void count(const int* in, int n, int* total) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int found = __syncthreads_count(i < n && in[i] > 0);
    if (i < n) atomicAdd(total, found);
}
