// POINTS: 3
// FAILS: 5000 elements, 192 threads
// FAILS: other sizes and grids
// REPLY: With 192 threads for 5000 elements, which elements does no thread
__global__ void axpby(float* z, const float* x, const float* y, float a, float b, int n) {
    const int step = 1024;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) z[i] = a * x[i] + b * y[i];
}
