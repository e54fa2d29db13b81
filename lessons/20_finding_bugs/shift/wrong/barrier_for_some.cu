// REPLY: Only some threads reach the barrier
__global__ void shift_left(int* x, int n) {
    int i = threadIdx.x, next = 0;
    if (i < n - 1) {
        next = x[i + 1];
        __syncthreads();
    }
    if (i < n) __syncthreads();
    if (i < n - 1) x[i] = next;
}
