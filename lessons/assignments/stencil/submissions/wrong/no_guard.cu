// POINTS: 1
// FAILS: 1000 elements, four blocks
// FAILS: short arrays, and other lengths
// FAILS: no races, no accesses outside the arrays
// REPLY: A store is outside the array or the block's tile. Does each thread have
constexpr int radius = 3, threads = 256;

__global__ void smooth(float* out, const float* in, int n) {
    __shared__ float part[threads + 2 * radius];
    const int t = threadIdx.x, first = blockIdx.x * threads - radius;
    for (int k = t; k < threads + 2 * radius; k += threads) part[k] = in[min(max(first + k, 0), n - 1)];
    __syncthreads();
    const int i = blockIdx.x * threads + t;
    float sum = 0;
    for (int k = 0; k <= 2 * radius; ++k) sum += part[t + k];
    out[i] = sum / (2 * radius + 1);
}
