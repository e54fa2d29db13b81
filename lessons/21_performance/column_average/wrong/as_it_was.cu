// REPLY: Give each block one row
__global__ void averages(const float* in, float* out, int width, int height) {
    int row = blockIdx.x * 32 + threadIdx.x;
    if (row >= height) return;
    float sum = 0;
    for (int x = 0; x < width; ++x) sum += in[row * width + x];
    out[row] = sum / width;
}
