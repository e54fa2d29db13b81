// REPLY: Several lanes write the average
__global__ void averages(const float* in, float* out, int width, int height) {
    int row = blockIdx.x, lane = threadIdx.x;
    float sum = 0;
    for (int x = lane; x < width; x += 32) sum += in[row * width + x];
    for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffff, sum, step);
    out[row] = sum / width;
}
