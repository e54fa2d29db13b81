// REPLY: Your launch doesn't give the block any dynamic shared memory
// C = A B with tiles of blockDim.x x blockDim.x elements in dynamic shared memory. All sizes are multiples of that.
__global__ void multiply(const float* a, const float* b, float* c, int inner, int columns) {
    extern __shared__ float tiles[];
    int tile = blockDim.x;
    float *as = tiles, *bs = tiles + tile * tile;
    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.y * tile + y, column = blockIdx.x * tile + x;
    float sum = 0;
    for (int k0 = 0; k0 < inner; k0 += tile) {
        as[y * tile + x] = a[row * inner + k0 + x];
        bs[y * tile + x] = b[(k0 + y) * columns + column];
        __syncthreads();
        for (int k = 0; k < tile; ++k) sum += as[y * tile + k] * bs[k * tile + x];
        __syncthreads();
    }
    c[row * columns + column] = sum;
}

// A has rows x inner elements, B inner x columns. Returns the status of the launch.
cudaError_t launch(const float* a, const float* b, float* c, int rows, int inner, int columns, int tile) {
    size_t bytes = 2 * tile * tile * sizeof(float);
    multiply<<<dim3(columns / tile, rows / tile), dim3(tile, tile)>>>(a, b, c, inner, columns);
    return cudaGetLastError();
}
