// REPLY: The lanes that read
__global__ void banks(const float* in, float* out) {
    __shared__ float tile[32][32];
    int x = threadIdx.x;
    for (int y = 0; y < 32; ++y) tile[x][y] = in[y * 32 + x];
    __syncthreads();
    for (int y = 0; y < 32; ++y) out[y * 32 + x] = tile[y][x];
}
