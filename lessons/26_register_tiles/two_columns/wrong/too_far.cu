// REPLY: One of your rows is outside the block, which has 8 rows
__global__ void outer(const float* u, const float* v, float* M, int n) {
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    float factor = v[x];
    for (int r = 0; r <= 8; r += 2) M[(y + r) * n + x] = factor * (y + r < n ? u[y + r] : 0);
}
