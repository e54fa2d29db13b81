// REPLY: Every element becomes 3
__global__ void triple(int* data, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i] = 3;
}
