__global__ void stride(const int* in, int* out, int n) {
    // Your code.
}
