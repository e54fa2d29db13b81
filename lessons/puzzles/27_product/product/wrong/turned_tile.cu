// REPLY: The tile of B
__global__ void product(const float* A, const float* B, float* C, int n) {
    __shared__ float a[16][16], b[16][16];
    int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * 16 + tx, y = blockIdx.y * 16 + ty;
    float sum = 0;
    for (int t = 0; t < n; t += 16) {
        a[ty][tx] = A[y * n + t + tx], b[ty][tx] = B[(t + tx) * n + blockIdx.x * 16 + ty];
        __syncthreads();
        for (int k = 0; k < 16; ++k) sum += a[ty][k] * b[k][tx];
        __syncthreads();
    }
    C[y * n + x] = sum;
}
