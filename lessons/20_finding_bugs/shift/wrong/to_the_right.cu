// REPLY: Follow three elements by hand
__global__ void shift_left(int* x, int n) {
    int i = threadIdx.x, last = 0;
    if (i > 0 && i < n) last = x[i - 1];
    __syncthreads();
    if (i > 0 && i < n) x[i] = last;
}
