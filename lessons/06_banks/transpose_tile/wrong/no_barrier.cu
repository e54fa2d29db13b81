// REPLY: What orders the warps of a block?
__global__ void transpose_tile(const float* in, float* out)
{
    int x = threadIdx.x, y = threadIdx.y;
    __shared__ float tile[32][33];
    tile[y][x] = in[32 * y + x];
    out[32 * y + x] = tile[x][y];
}
