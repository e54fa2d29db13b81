// REPLY: The kernel did not
constexpr int least = -2147483647 - 1;

__global__ void block_max(const int* in, int* out, int n)
{
    __shared__ int s[256];
    int t = threadIdx.x;
    int i = blockIdx.x * blockDim.x + t;
    s[t] = i < n ? in[i] : least;
    __syncthreads();
    for (int half = 128; half > 0; half = half) {
        if (t < half && s[t + half] > s[t]) s[t] = s[t + half];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = s[0];
}
