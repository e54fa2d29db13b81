// REPLY: store a column of the tile to one bank
__global__ void transpose_tile(const float* in, float* out)
{
    int x = threadIdx.x, y = threadIdx.y;
    __shared__ float tile[32][32];
    tile[x][y] = in[32 * y + x];
    __syncthreads();
    out[32 * y + x] = tile[y][x];
}
