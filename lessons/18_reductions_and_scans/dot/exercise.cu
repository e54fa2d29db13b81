// Adds the sum of a[i] * b[i] to *result; blocks of 256 threads.
__global__ void dot(const int* a, const int* b, int n, int* result) {
    __shared__ int parts[256];
    // Your code.
}
