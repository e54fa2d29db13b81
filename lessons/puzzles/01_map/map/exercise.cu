__global__ void map(const int* in, int* out) {
    // Your code.
}
