// The tile keeps its 32 columns: each row is rotated instead.
__global__ void transpose(float* out, const float* in, int width, int height) {
    __shared__ float tile[32][32];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int x = blockIdx.x * 32 + tx, y = blockIdx.y * 32 + ty;
    if (x < width && y < height) tile[ty][(tx + ty) % 32] = in[y * width + x];
    __syncthreads();
    const int column = blockIdx.y * 32 + tx, row = blockIdx.x * 32 + ty;
    if (column < height && row < width) out[row * height + column] = tile[tx][(tx + ty) % 32];
}
