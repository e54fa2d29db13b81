// REPLY: The last threads need
__global__ void convolution(const int* in, const int* filter, int* out, int n, int taps) {
    __shared__ int tile[64];
    int t = threadIdx.x, i = blockIdx.x * 64 + t, sum = 0;
    tile[t] = i < n + taps - 1 ? in[i] : 0;
    __syncthreads();
    for (int k = 0; k < taps; ++k) sum += tile[t + k] * filter[k];
    if (i < n) out[i] = sum;
}
