// POINTS: 3.961
// FAILS: 1000 elements, four blocks
// FAILS: short arrays, and other lengths
// REPLY: Look at elements 255 and 256: their neighbors belong to two blocks.
constexpr int radius = 3, threads = 256;

__global__ void smooth(float* out, const float* in, int n) {
    __shared__ float part[threads + 2 * radius];
    const int t = threadIdx.x, first = blockIdx.x * threads - radius;
    for (int k = t; k < threads + 2 * radius; k += threads) part[k] = in[min(max(first + k, int(blockIdx.x) * threads), min(n, int(blockIdx.x + 1) * threads) - 1)];
    __syncthreads();
    const int i = blockIdx.x * threads + t;
    float sum = 0;
    for (int k = 0; k <= 2 * radius; ++k) sum += part[t + k];
    if (i < n) out[i] = sum / (2 * radius + 1);
}
