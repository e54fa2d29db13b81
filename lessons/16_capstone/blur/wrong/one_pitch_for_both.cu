// REPLY: Here the result's rows
__constant__ float weights[5];

cudaError_t set_weights(const float* w) {
    return cudaMemcpyToSymbol(weights, w, sizeof(weights));
}

__global__ void blur_rows(float* out, size_t out_pitch, const float* in, size_t in_pitch, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    const float* row = (const float*)((const char*)in + y * in_pitch);
    float sum = 0;
    for (int k = -2; k <= 2; ++k) sum += weights[k + 2] * row[min(max(x + k, 0), width - 1)];
    float* out_row = (float*)((char*)out + y * in_pitch);
    out_row[x] = sum;
}
