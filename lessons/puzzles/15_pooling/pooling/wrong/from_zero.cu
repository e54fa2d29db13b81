// REPLY: Begin with one of the four
__global__ void pooling(const int* in, int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, best = 0;
    for (int k = 0; k < 4 && i < n; ++k) best = max(best, in[4 * i + k]);
    if (i < n) out[i] = best;
}
