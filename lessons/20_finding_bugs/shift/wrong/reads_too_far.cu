// REPLY: The last element has no right neighbor
__global__ void shift_left(int* x, int n) {
    int i = threadIdx.x, next = 0;
    if (i < n) next = x[i + 1];
    __syncthreads();
    if (i < n) x[i] = next;
}
