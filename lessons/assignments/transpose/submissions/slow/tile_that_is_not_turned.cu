// POINTS: 5
// FAILS: each warp writes at most 4 sectors
// FAILS: no more traffic than the solution's
// REPLY: Your stores go down a column of out, so each of the 32 threads of a
// SAYS: the counter is not what it should be
__global__ void transpose(float* out, const float* in, int width, int height) {
    __shared__ float tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    if (x < width && y < height) tile[threadIdx.y][threadIdx.x] = in[y * width + x];
    __syncthreads();
    if (x < width && y < height) out[x * height + y] = tile[threadIdx.y][threadIdx.x];
}
