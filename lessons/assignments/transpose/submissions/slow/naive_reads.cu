// POINTS: 9
// FAILS: each warp reads at most 4 sectors
// FAILS: no more traffic than the solution's
// SAYS: the counter is not what it should be
__global__ void transpose(float* out, const float* in, int width, int height) {
    int row = blockIdx.x * blockDim.x + threadIdx.y;
    int column = blockIdx.y * blockDim.y + threadIdx.x;
    if (row < width && column < height) out[row * height + column] = in[column * width + row];
}
