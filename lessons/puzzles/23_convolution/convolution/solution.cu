__global__ void convolution(const int* in, const int* filter, int* out, int n, int taps) {
    __shared__ int tile[72];
    int t = threadIdx.x, i = blockIdx.x * 64 + t, all = n + taps - 1, sum = 0;
    if (i < all) tile[t] = in[i];
    if (t < taps - 1 && i + 64 < all) tile[64 + t] = in[i + 64];
    __syncthreads();
    if (i >= n) return;
    for (int k = 0; k < taps; ++k) sum += tile[t + k] * filter[k];
    out[i] = sum;
}
