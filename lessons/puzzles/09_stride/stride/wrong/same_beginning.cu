// REPLY: Where should block 1 begin
__global__ void stride(const int* in, int* out, int n) {
    int i = threadIdx.x;
    for (; i < n; i += blockDim.x * gridDim.x) out[i] = in[i] * in[i];
}
