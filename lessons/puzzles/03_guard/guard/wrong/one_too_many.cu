// REPLY: With n elements, the
__global__ void guard(const int* in, int* out, int n) {
    int i = threadIdx.x;
    if (i <= n) out[i] = in[i] * 2;
}
