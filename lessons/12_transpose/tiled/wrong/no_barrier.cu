// REPLY: A thread reads an
#define TILE 32
#define ROWS 8

__global__ void transpose(float* out, const float* in, int nx, int ny) {
    __shared__ float tile[TILE][TILE + 1];
    int x = blockIdx.x * TILE + threadIdx.x;
    int y = blockIdx.y * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += ROWS)
        if (x < nx && y + j < ny) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * nx + x];
    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += ROWS)
        if (x < ny && y + j < nx) out[(y + j) * ny + x] = tile[threadIdx.x][threadIdx.y + j];
}
