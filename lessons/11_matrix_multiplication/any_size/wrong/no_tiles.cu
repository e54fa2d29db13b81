// REPLY: The results are right, but each thread loads everything that it needs from global memory itself
// C = A B: A has rows x inner elements, B inner x columns, C rows x columns, all row after row.
// Launched with blocks of 16 x 16 threads and a grid that covers C.
__global__ void multiply(const float* a, const float* b, float* c, int rows, int inner, int columns) {
    int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows || column >= columns) return;
    float sum = 0;
    for (int k = 0; k < inner; ++k) sum += a[row * inner + k] * b[k * columns + column];
    c[row * columns + column] = sum;
}
