// REPLY: The lanes of each
constexpr int least = -2147483647 - 1;
__global__ void block_max(const int* in, int* out, int n)
{
    __shared__ int s[256];
    int t = threadIdx.x;
    int i = blockIdx.x * blockDim.x + t;
    s[t] = i < n ? in[i] : least;
    __syncwarp();
    for (int half = 128; half > 0; half /= 2) {
        if (t < half && s[t + half] > s[t]) s[t] = s[t + half];
        __syncwarp();
    }
    if (t == 0) out[blockIdx.x] = s[0];
}
