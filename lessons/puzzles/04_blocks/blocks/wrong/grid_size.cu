// REPLY: is the number of blocks
__global__ void blocks(const int* in, int* out, int n) {
    int i = blockIdx.x * gridDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] - 1;
}
