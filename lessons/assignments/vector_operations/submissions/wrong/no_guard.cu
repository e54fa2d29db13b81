// POINTS: 0
// FAILS: 1000 elements, a thread for each
// REPLY: Some threads have no element. What must each thread check before it
__global__ void axpby(float* z, const float* x, const float* y, float a, float b, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    z[i] = a * x[i] + b * y[i];
}
