// y[i] = a * x[i] + y[i] for all n elements.
__global__ void saxpy(int n, float a, const float* x, float* y) {
    // Your code comes here.
}
