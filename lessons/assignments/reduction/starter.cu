__global__ void sum(const int* data, int n, int* result) {
    __shared__ int parts[256];
    // Your code.
}
