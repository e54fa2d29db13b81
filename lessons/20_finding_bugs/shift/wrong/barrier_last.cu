// REPLY: Between which two things must it stand?
__global__ void shift_left(int* x, int n) {
    int i = threadIdx.x;
    if (i < n - 1) x[i] = x[i + 1];
    __syncthreads();
}
