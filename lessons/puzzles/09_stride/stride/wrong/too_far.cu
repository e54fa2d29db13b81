// REPLY: The last step goes too far
__global__ void stride(const int* in, int* out, int n) {
    int me = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < n; k += 128) out[me + k] = in[me + k] * in[me + k];
}
