// REPLY: A thread reads a
__global__ void convolution(const int* in, const int* filter, int* out, int n, int taps) {
    __shared__ int tile[72];
    int t = threadIdx.x, i = blockIdx.x * 64 + t, all = n + taps - 1, sum = 0;
    if (i < all) tile[t] = in[i];
    if (t < taps - 1 && i + 64 < all) tile[64 + t] = in[i + 64];
    for (int k = 0; k < taps && i < n; ++k) sum += tile[t + k] * filter[k];
    if (i < n) out[i] = sum;
}
