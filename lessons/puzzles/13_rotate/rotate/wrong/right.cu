// REPLY: the other direction
__global__ void rotate(int* data) {
    int i = threadIdx.x, n = blockDim.x;
    int next = data[(i + n - 1) % n];
    __syncthreads();
    data[i] = next;
}
