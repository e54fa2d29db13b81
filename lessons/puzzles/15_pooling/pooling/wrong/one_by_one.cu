// REPLY: The results are right,
__global__ void pooling(const volatile int* in, int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int best = in[4 * i];
    for (int k = 1; k < 4; ++k) best = max(best, in[4 * i + k]);
    out[i] = best;
}
