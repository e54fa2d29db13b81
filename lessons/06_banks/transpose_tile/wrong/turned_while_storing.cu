// REPLY: but each warp stores
__global__ void transpose_tile(const float* in, float* out)
{
    int x = threadIdx.x, y = threadIdx.y;
    __shared__ float tile[32][33];
    tile[y][x] = in[32 * y + x];
    __syncthreads();
    out[32 * x + y] = tile[y][x];
}
