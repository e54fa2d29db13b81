__global__ void zip(const int* a, const int* b, int* out) {
    // Your code.
}
