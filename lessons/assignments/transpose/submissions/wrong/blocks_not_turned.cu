// POINTS: 0.64
// FAILS: a square matrix is transposed
// FAILS: matrices of all shapes are transposed
// SAYS: 2048 of 4096 elements of out are wrong; the first is out[0][32]
__global__ void transpose(float* out, const float* in, int width, int height) {
    __shared__ float tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    if (x < width && y < height) tile[threadIdx.y][threadIdx.x] = in[y * width + x];
    __syncthreads();
    if (x < height && y < width) out[y * height + x] = tile[threadIdx.x][threadIdx.y];
}
