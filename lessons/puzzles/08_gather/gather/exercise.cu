__global__ void gather(const int* in, int m, const int* where, int* out, int n) {
    // Your code.
}
