// ATTACK: moves the bank conflicts from the reads of the tile to its stores
// POINTS: 9
// FAILS: no bank conflicts when it fills the tile
__global__ void transpose(float* out, const float* in, int width, int height) {
    __shared__ float tile[32][32];
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    if (x < width && y < height) tile[threadIdx.x][threadIdx.y] = in[y * width + x];
    __syncthreads();
    const int column = blockIdx.y * 32 + threadIdx.x, row = blockIdx.x * 32 + threadIdx.y;
    if (column < height && row < width) out[row * height + column] = tile[threadIdx.y][threadIdx.x];
}
