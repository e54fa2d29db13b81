__global__ void blocks(const int* in, int* out, int n) {
    // Your code.
}
