__global__ void column_sums(const int* in, int* out, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x >= width) return;
    int sum = 0;
    for (int y = 0; y < height; ++y) sum += in[y * width + x];
    out[x] = sum;
}
