// REPLY: x selects from v
__global__ void outer(const float* u, const float* v, float* M, int n) {
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    for (int r = 0; r < 8; r += 2) M[(y + r) * n + x] = u[x] * v[y + r];
}
