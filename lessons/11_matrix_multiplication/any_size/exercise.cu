// C = A B: A has rows x inner elements, B inner x columns, C rows x columns, all row after row.
// Launched with blocks of 16 x 16 threads and a grid that covers C.
__global__ void multiply(const float* a, const float* b, float* c, int rows, int inner, int columns) {
    __shared__ float as[16][16], bs[16][16];
    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.y * 16 + y, column = blockIdx.x * 16 + x;
    float sum = 0;
    // for each pair of tiles: fetch, wait, multiply, wait

    c[row * columns + column] = sum;
}
