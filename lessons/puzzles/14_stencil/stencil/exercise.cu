__global__ void stencil(const int* in, int* out) {
    int i = threadIdx.x, n = blockDim.x;
    out[i] = (i > 0 ? in[i - 1] : 0) + in[i] + (i < n - 1 ? in[i + 1] : 0);
}
