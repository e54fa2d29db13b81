__global__ void pooling(const int* in, int* out, int n) {
    // Your code.
}
