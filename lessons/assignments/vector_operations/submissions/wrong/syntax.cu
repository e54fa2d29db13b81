// POINTS: 0
// FAILS: compiles
__global__ void axpby(float* z, const float* x, const float* y, float a, float b, int n) {
    const int step = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) z[i] = a * x[i] + b * y[i]
}
