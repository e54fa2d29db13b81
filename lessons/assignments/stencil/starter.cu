__global__ void smooth(float* out, const float* in, int n) {
    __shared__ float part[256 + 6];
    // Your code.
}
