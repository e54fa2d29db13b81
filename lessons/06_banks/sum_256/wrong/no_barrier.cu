// REPLY: Every step reads what other threads wrote
__global__ void sum_256(const float* in, float* out)
{
    __shared__ float s[256];
    int t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    for (int step = 128; step > 0; step /= 2) {
        if (t < step) s[t] += s[t + step];
    }
    if (t == 0) *out = s[0];
}
