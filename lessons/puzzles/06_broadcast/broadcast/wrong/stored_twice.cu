// REPLY: Add first, then store once
__global__ void broadcast(const int* col, const int* row, volatile int* out, int n) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= n || y >= n) return;
    out[y * n + x] = col[y];
    out[y * n + x] += row[x];
}
