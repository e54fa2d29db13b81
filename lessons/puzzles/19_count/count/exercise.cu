__global__ void count(const int* in, int n, int* total) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && in[i] > 0) *total += 1;
}
