// POINTS: 7
// FAILS: loads need no more sectors than the data
// FAILS: stores need no more sectors than the data
// FAILS: nothing else goes to memory
// REPLY: The result is right, but neighboring threads read elements that are far
__global__ void axpby(float* z, const float* x, const float* y, float a, float b, int n) {
    int threads = gridDim.x * blockDim.x, each = (n + threads - 1) / threads;
    int first = (blockIdx.x * blockDim.x + threadIdx.x) * each;
    for (int i = first; i < first + each && i < n; ++i) z[i] = a * x[i] + b * y[i];
}
