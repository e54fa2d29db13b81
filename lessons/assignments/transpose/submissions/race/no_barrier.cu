// POINTS: 1.11
// FAILS: a square matrix is transposed
// FAILS: matrices of all shapes are transposed
// REPLY: All threads of the block must write their part of the tile before any
// SAYS: 1984 of 4096 elements of out are wrong; the first is out[0][1]
__global__ void transpose(float* out, const float* in, int width, int height) {
    __shared__ float tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    if (x < width && y < height) tile[threadIdx.y][threadIdx.x] = in[y * width + x];
    x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
    if (x < height && y < width) out[y * height + x] = tile[threadIdx.x][threadIdx.y];
}
