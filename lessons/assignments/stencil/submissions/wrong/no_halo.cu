// POINTS: 1.949
// FAILS: 256 elements, one block
// FAILS: 1000 elements, four blocks
// FAILS: short arrays, and other lengths
// REPLY: A thread read an element of the tile before any thread had written it.
constexpr int radius = 3, threads = 256;

__global__ void smooth(float* out, const float* in, int n) {
    __shared__ float part[threads + 2 * radius];
    const int t = threadIdx.x, first = blockIdx.x * threads - radius;
    part[t + radius] = in[min(blockIdx.x * threads + t, n - 1)];
    __syncthreads();
    const int i = blockIdx.x * threads + t;
    float sum = 0;
    for (int k = 0; k <= 2 * radius; ++k) sum += part[t + k];
    if (i < n) out[i] = sum / (2 * radius + 1);
}
