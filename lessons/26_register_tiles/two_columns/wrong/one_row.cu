// REPLY: Rows are missing
__global__ void outer(const float* u, const float* v, float* M, int n) {
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    M[y * n + x] = u[y] * v[x];
}
