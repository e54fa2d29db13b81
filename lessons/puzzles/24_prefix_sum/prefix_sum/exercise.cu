__global__ void prefix_sum(const int* in, int* out) {
    int sum = in[threadIdx.x];
    // Your code.
    out[threadIdx.x] = sum;
}
