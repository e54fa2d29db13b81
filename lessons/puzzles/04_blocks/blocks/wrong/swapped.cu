// REPLY: Block and thread are
__global__ void blocks(const int* in, int* out, int n) {
    int i = threadIdx.x * blockDim.x + blockIdx.x;
    if (i < n) out[i] = in[i] - 1;
}
