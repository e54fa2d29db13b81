// REPLY: Each lane adds up a part of the row
__global__ void averages(const float* in, float* out, int width, int height) {
    int row = blockIdx.x, lane = threadIdx.x;
    float sum = 0;
    for (int x = lane; x < width; x += 32) sum += in[row * width + x];
    if (lane == 0) out[row] = sum / width;
}
