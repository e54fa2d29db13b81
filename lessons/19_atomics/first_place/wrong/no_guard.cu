// REPLY: Compare the index with n
__global__ void find(const int* x, int n, int wanted, int* first) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    do {
        if (x[i] == wanted) atomicMin(first, i);
        i += gridDim.x * blockDim.x;
    } while (i < n);
}
