// REPLY: The table is transposed.
__global__ void broadcast(const int* col, const int* row, int* out, int n) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < n && y < n) out[y * n + x] = col[x] + row[y];
}
