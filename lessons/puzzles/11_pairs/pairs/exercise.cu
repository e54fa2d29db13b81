__global__ void pairs(const float2* in, float* xs, float* ys, int n) {
    // Your code.
}
