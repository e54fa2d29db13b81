__global__ void rotate(int* data) {
    int i = threadIdx.x, n = blockDim.x;
    data[i] = data[(i + 1) % n];
}
