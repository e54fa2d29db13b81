// REPLY: A thread writes a
__global__ void rotate(int* data) {
    int i = threadIdx.x, n = blockDim.x;
    int next = data[(i + 1) % n];
    data[i] = next;
    __syncthreads();
}
