// REPLY: reaches to the right
__global__ void convolution(const int* in, const int* filter, int* out, int n, int taps) {
    int i = blockIdx.x * 64 + threadIdx.x, sum = 0;
    for (int k = 0; k < taps && i < n; ++k) sum += in[max(0, i + k - taps / 2)] * filter[k];
    if (i < n) out[i] = sum;
}
