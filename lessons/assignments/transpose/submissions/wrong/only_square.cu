// POINTS: 7
// FAILS: matrices of all shapes are transposed
// FAILS: no races, no accesses outside the arrays
// SAYS: error[oob-write]: 4-byte write
__global__ void transpose(float* out, const float* in, int width, int height) {
    __shared__ float tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    if (x < width && y < height) tile[threadIdx.y][threadIdx.x] = in[y * width + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
    if (x < height && y < width) out[y * width + x] = tile[threadIdx.x][threadIdx.y];
}
