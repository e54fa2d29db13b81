// REPLY: A tile contains elements that it should not
// C = A B: A has rows x inner elements, B inner x columns, C rows x columns, all row after row.
// Launched with blocks of 16 x 16 threads and a grid that covers C.
__global__ void multiply(const float* a, const float* b, float* c, int rows, int inner, int columns) {
    __shared__ float as[16][16], bs[16][16];
    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.y * 16 + y, column = blockIdx.x * 16 + x;
    float sum = 0;
    for (int k0 = 0; k0 < inner; k0 += 16) {
        as[y][x] = a[min(row, rows - 1) * inner + min(k0 + x, inner - 1)];
        bs[y][x] = b[min(k0 + y, inner - 1) * columns + min(column, columns - 1)];
        __syncthreads();
        for (int k = 0; k < 16; ++k) sum += as[y][k] * bs[k][x];
        __syncthreads();
    }
    if (row < rows && column < columns) c[row * columns + column] = sum;
}
