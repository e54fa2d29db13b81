// The sum of 256 numbers, with one block of 256 threads.
__global__ void sum_256(const float* in, float* out)
{
    __shared__ float s[256];
    int t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    for (int step = 1; step < 256; step *= 2) {
        int k = 2 * step * t;
        if (k < 256) s[k] += s[k + step];
        __syncthreads();
    }
    if (t == 0) *out = s[0];
}
