__global__ void column_sums(const int* in, int* out, int width, int height) {
    // Your code.
}
