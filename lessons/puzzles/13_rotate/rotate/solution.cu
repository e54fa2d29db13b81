__global__ void rotate(int* data) {
    int i = threadIdx.x, n = blockDim.x;
    int next = data[(i + 1) % n];
    __syncthreads();
    data[i] = next;
}
