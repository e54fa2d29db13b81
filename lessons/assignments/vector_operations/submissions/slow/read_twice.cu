// POINTS: 8.5
// FAILS: stores need no more sectors than the data
// FAILS: nothing else goes to memory
__global__ void axpby(float* z, const float* x, const float* y, float a, float b, int n) {
    const int step = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) { z[i] = a * x[i]; z[i] += b * ((volatile const float*)y)[i]; }
}
