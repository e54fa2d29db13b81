// REPLY: The barrier comes after both the read and the write
__global__ void shift_left(int* x, int n) {
    int i = threadIdx.x;
    if (i < n - 1) x[i] = x[i + 1];
    __syncthreads();
}
