// REPLY: A thread without an element reads one
__global__ void average(const float* in, float* out, int n) {
    __shared__ float s[128];
    int t = threadIdx.x, i = blockIdx.x * 128 + t;
    s[t] = in[i];
    __syncthreads();
    for (int half = 64; half > 0; half /= 2) {
        if (t < half) s[t] += s[t + half];
        __syncthreads();
    }
    int count = min(128, n - int(blockIdx.x) * 128);
    if (t == 0) out[blockIdx.x] = s[0] / count;
}
