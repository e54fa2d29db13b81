__global__ void dot(const int* a, const int* b, int* out) {
    __shared__ int part[256];
    int i = threadIdx.x;
    part[i] = a[i] * b[i];
    // Your code.
}
