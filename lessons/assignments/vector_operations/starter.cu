__global__ void axpby(float* z, const float* x, const float* y, float a, float b, int n) {
    // Your code.
}
