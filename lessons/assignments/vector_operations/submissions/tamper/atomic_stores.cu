// POINTS: 7
// FAILS: it stores without atomic operations
__global__ void axpby(float* z, const float* x, const float* y, float a, float b, int n) {
    const int step = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) atomicExch(&z[i], a * x[i] + b * y[i]);
}
