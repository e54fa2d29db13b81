// REPLY: Guard x *and* y
__global__ void broadcast(const int* col, const int* row, int* out, int n) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (y * n + x < n * n) out[y * n + x] = col[y] + row[x];
}
