// C = A B with tiles of blockDim.x x blockDim.x elements in dynamic shared memory. All sizes are multiples of that.
__global__ void multiply(const float* a, const float* b, float* c, int inner, int columns) {
    int tile = blockDim.x;
    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.y * tile + y, column = blockIdx.x * tile + x;
}

// A has rows x inner elements, B inner x columns. Returns the status of the launch.
cudaError_t launch(const float* a, const float* b, float* c, int rows, int inner, int columns, int tile) {
    size_t bytes = 0;
    multiply<<<dim3(1, 1), dim3(tile, tile), bytes>>>(a, b, c, inner, columns);
    return cudaGetLastError();
}
