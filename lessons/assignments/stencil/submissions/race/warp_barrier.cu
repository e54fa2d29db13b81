// POINTS: 1.673
// FAILS: 256 elements, one block
// FAILS: 1000 elements, four blocks
// FAILS: short arrays, and other lengths
// REPLY: A thread uses elements of the tile that other threads load. What makes
constexpr int radius = 3, threads = 256;

__global__ void smooth(float* out, const float* in, int n) {
    __shared__ float part[threads + 2 * radius];
    const int t = threadIdx.x, first = blockIdx.x * threads - radius;
    for (int k = t; k < threads + 2 * radius; k += threads) part[k] = in[min(max(first + k, 0), n - 1)];
    __syncwarp();
    const int i = blockIdx.x * threads + t;
    float sum = 0;
    for (int k = 0; k <= 2 * radius; ++k) sum += part[t + k];
    if (i < n) out[i] = sum / (2 * radius + 1);
}
