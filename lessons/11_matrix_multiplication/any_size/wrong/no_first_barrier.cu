// REPLY: One warp reads a tile while another writes it
// C = A B: A has rows x inner elements, B inner x columns, C rows x columns, all row after row.
// Launched with blocks of 16 x 16 threads and a grid that covers C.
__global__ void multiply(const float* a, const float* b, float* c, int rows, int inner, int columns) {
    __shared__ float as[16][16], bs[16][16];
    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.y * 16 + y, column = blockIdx.x * 16 + x;
    float sum = 0;
    for (int k0 = 0; k0 < inner; k0 += 16) {
        as[y][x] = row < rows && k0 + x < inner ? a[row * inner + k0 + x] : 0;
        bs[y][x] = k0 + y < inner && column < columns ? b[(k0 + y) * columns + column] : 0;
        for (int k = 0; k < 16; ++k) sum += as[y][k] * bs[k][x];
        __syncthreads();
    }
    if (row < rows && column < columns) c[row * columns + column] = sum;
}
