// REPLY: Threads without an element
__global__ void count(const int* in, int n, int* total) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int found = __syncthreads_count(in[i] > 0);
    if (threadIdx.x == 0) atomicAdd(total, found);
}
