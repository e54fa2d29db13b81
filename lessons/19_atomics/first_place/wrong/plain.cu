// REPLY: the last one wins, not the smallest
__global__ void find(const int* x, int n, int wanted, int* first) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        if (x[i] == wanted && i < *first) *first = i;
}
