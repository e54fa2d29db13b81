__global__ void convolution(const int* in, const int* filter, int* out, int n, int taps) {
    int i = blockIdx.x * 64 + threadIdx.x, sum = 0;
    for (int k = 0; k < taps; ++k) sum += in[i + k] * filter[k];
    out[i] = sum;
}
