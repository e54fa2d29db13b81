// REPLY: not `height`
__global__ void column_sums(const int* in, int* out, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
    if (x >= width) return;
    for (int y = 0; y < height; ++y) sum += in[y * height + x];
    out[x] = sum;
}
