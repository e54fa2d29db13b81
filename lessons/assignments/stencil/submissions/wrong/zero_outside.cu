// POINTS: 1.977
// FAILS: 256 elements, one block
// FAILS: 1000 elements, four blocks
// FAILS: short arrays, and other lengths
// REPLY: Compute out[0] by hand: in[0] counts four times, in[1], in[2] and
constexpr int radius = 3, threads = 256;

__global__ void smooth(float* out, const float* in, int n) {
    __shared__ float part[threads + 2 * radius];
    const int t = threadIdx.x, first = blockIdx.x * threads - radius;
    for (int k = t; k < threads + 2 * radius; k += threads) part[k] = first + k >= 0 && first + k < n ? in[first + k] : 0;
    __syncthreads();
    const int i = blockIdx.x * threads + t;
    float sum = 0;
    for (int k = 0; k <= 2 * radius; ++k) sum += part[t + k];
    if (i < n) out[i] = sum / (2 * radius + 1);
}
