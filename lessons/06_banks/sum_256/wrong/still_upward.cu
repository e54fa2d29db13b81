// REPLY: Which elements hold the partial sums
__global__ void sum_256(const float* in, float* out)
{
    __shared__ float s[256];
    int t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    for (int step = 1; step < 256; step *= 2) {
        if (t < step) s[t] += s[t + step];
        __syncthreads();
    }
    if (t == 0) *out = s[0];
}
