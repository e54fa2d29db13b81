__global__ void sort(const int* in, int* out) {
    int lane = threadIdx.x, x = in[lane];
    // Your code.
    out[lane] = x;
}
