// REPLY: Compare with n first
__global__ void blocks(const int* in, int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i] - 1;
}
