// POINTS: 9
// FAILS: no bank conflicts when it reads the tile
// REPLY: Nearly perfect: all elements in a column of your tile lie in one bank.
// SAYS: the counter is not what it should be
__global__ void transpose(float* out, const float* in, int width, int height) {
    __shared__ float tile[32][32];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    if (x < width && y < height) tile[threadIdx.y][threadIdx.x] = in[y * width + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
    if (x < height && y < width) out[y * height + x] = tile[threadIdx.x][threadIdx.y];
}
