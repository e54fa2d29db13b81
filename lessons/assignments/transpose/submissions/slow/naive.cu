// POINTS: 5
// FAILS: each warp writes at most 4 sectors
// FAILS: no more traffic than the solution's
// REPLY: Your stores go down a column of out, so each of the 32 threads of a
// SAYS: the counter is not what it should be
__global__ void transpose(float* out, const float* in, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) out[x * height + y] = in[y * width + x];
}
