// POINTS: 0
// FAILS: a square matrix is transposed
// FAILS: matrices of all shapes are transposed
// SAYS: 4095 of 4096 elements of out are wrong; the first is out[0][1]
__global__ void transpose(float* out, const float* in, int width, int height) {
    __shared__ float tile[128][129];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    if (x < width && y < height) tile[threadIdx.y][threadIdx.x] = in[y * width + x];
    __syncthreads();
    if (x < width && y < height) out[x * height + y] = tile[threadIdx.y][threadIdx.x];
}
