// REPLY: waits for one warp
__global__ void dot(const int* a, const int* b, int* out) {
    __shared__ int part[256];
    int i = threadIdx.x;
    part[i] = a[i] * b[i];
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        __syncwarp();
        if (i < half) part[i] += part[i + half];
    }
    if (i == 0) *out = part[0];
}
