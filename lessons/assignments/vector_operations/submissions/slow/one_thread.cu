// POINTS: 7
// FAILS: loads need no more sectors than the data
// FAILS: stores need no more sectors than the data
// FAILS: nothing else goes to memory
// REPLY: The result is right, but neighboring threads read elements that are far
__global__ void axpby(float* z, const float* x, const float* y, float a, float b, int n) {
    if (blockIdx.x == 0 && threadIdx.x == 0)
        for (int i = 0; i < n; ++i) z[i] = a * x[i] + b * y[i];
}
