// REPLY: The averages are right, but lanes read elements more than once, or neighboring lanes don't read neighboring elements
__global__ void averages(const float* in, float* out, int width, int height) {
    int row = blockIdx.x;
    float sum = 0;
    for (int x = 0; x < width; ++x) sum += ((volatile const float*)in)[row * width + x];
    if (threadIdx.x == 0) out[row] = sum / width;
}
