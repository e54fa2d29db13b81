// REPLY: Other threads read the
__global__ void transpose(const float* in, float* out, int n) {
    __shared__ float tile[32][33];
    int bx = blockIdx.x * 32, by = blockIdx.y * 32, x = threadIdx.x;
    for (int y = threadIdx.y; y < 32; y += 8) tile[y][x] = in[(by + y) * n + bx + x];
    for (int y = threadIdx.y; y < 32; y += 8) out[(bx + y) * n + by + x] = tile[x][y];
}
