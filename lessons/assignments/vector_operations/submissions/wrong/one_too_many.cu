// POINTS: 0
// FAILS: 1000 elements, a thread for each
// REPLY: The last of the n elements has the index n - 1
__global__ void axpby(float* z, const float* x, const float* y, float a, float b, int n) {
    const int step = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i <= n; i += step) z[i] = a * x[i] + b * y[i];
}
