// REPLY: each warp scatters its stores over 32 rows of `out`
__global__ void transpose(float* out, const float* in, int nx, int ny) {
    int x = blockIdx.x * 32 + threadIdx.x;
    int y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        if (x < nx && y + j < ny) out[x * ny + y + j] = in[(y + j) * nx + x];
}
