// POINTS: 6
// FAILS: each element is loaded about once
// REPLY: The result is right, but the kernel loads elements from global memory
__global__ void smooth(float* out, const float* in, int n) {
    __shared__ float part[256];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    part[threadIdx.x] = in[min(i, n - 1)];
    __syncthreads();
    if (i >= n) return;
    float sum = part[threadIdx.x];
    for (int k = -3; k <= 3; ++k) if (k != 0) sum += in[min(max(i + k, 0), n - 1)];
    out[i] = sum / 7;
}
