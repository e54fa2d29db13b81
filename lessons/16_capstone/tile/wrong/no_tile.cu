// REPLY: The result is right,
__global__ void blur_transpose(float* out, size_t out_pitch, const float* in, size_t in_pitch, int width, int height) {
    __shared__ float blurred[32][33];
    int tx = threadIdx.x, ty = threadIdx.y, x0 = 32 * blockIdx.x, y0 = 32 * blockIdx.y;
    const float* row = (const float*)((const char*)in + min(y0 + ty, height - 1) * in_pitch);
    float sum = 0;
    for (int k = 0; k < 5; ++k) sum += weights[k] * row[min(max(x0 + tx + k - 2, 0), width - 1)];
    blurred[ty][tx] = sum;
    __syncthreads();
    if (y0 + tx < height && x0 + ty < width) ((float*)((char*)out + (x0 + ty) * out_pitch))[y0 + tx] = blurred[tx][ty];
}
