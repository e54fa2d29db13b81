// A block of 32 x 8 threads moves one tile of 32 x 32 numbers from `in` (ny rows of nx) to `out` (nx rows of ny).
#define TILE 32
#define ROWS 8

__global__ void transpose(float* out, const float* in, int nx, int ny) {
    int x = blockIdx.x * TILE + threadIdx.x;
    int y = blockIdx.y * TILE + threadIdx.y;
    // Move the tile through shared memory, four elements for each thread.
}
