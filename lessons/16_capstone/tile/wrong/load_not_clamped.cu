// REPLY: Clamp x for the halo
__global__ void blur_transpose(float* out, size_t out_pitch, const float* in, size_t in_pitch, int width, int height) {
    __shared__ float tile[32][36];
    __shared__ float blurred[32][33];
    int tx = threadIdx.x, ty = threadIdx.y, x0 = 32 * blockIdx.x, y0 = 32 * blockIdx.y;
    const float* row = (const float*)((const char*)in + (y0 + ty) * in_pitch);
    for (int i = tx; i < 36; i += 32) tile[ty][i] = row[min(max(x0 + i - 2, 0), width - 1)];
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < 5; ++k) sum += weights[k] * tile[ty][tx + k];
    blurred[ty][tx] = sum;
    __syncthreads();
    if (y0 + tx < height && x0 + ty < width) ((float*)((char*)out + (x0 + ty) * out_pitch))[y0 + tx] = blurred[tx][ty];
}
