__global__ void axpby(float* z, const float* x, const float* y, float a, float b, int n) {
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    while (i < n) {
        float sum = a * x[i];
        sum += b * y[i];
        z[i] = sum;
        i += blockDim.x * gridDim.x;
    }
}
