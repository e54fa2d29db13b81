__global__ void backwards(const int* in, int* out, int n) {
    // Your code.
}
