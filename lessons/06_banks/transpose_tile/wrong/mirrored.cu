// REPLY: Elements are not where they belong
__global__ void transpose_tile(const float* in, float* out)
{
    __shared__ float tile[32][33];  // 33: an odd stride, so that a column lies in 32 different banks
    int x = threadIdx.x, y = threadIdx.y;
    tile[y][x] = in[32 * y + x];
    __syncthreads();
    out[32 * y + x] = tile[31 - x][y];
}
