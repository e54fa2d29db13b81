__global__ void smooth(float* out, const float* in, int n) {
    __shared__ float part[262];
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    part[t + 3] = in[min(i, n - 1)];
    if (t < 3) part[t] = in[min(max(i - 3, 0), n - 1)];
    if (t >= 253) part[t + 6] = in[min(i + 3, n - 1)];
    __syncthreads();
    if (i >= n) return;
    float sum = 0;
    for (int k = 0; k < 7; ++k) sum += part[t + k];
    out[i] = sum / 7;
}
