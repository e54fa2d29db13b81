// POINTS: 6
// FAILS: each element is loaded about once
// REPLY: The result is right, but the kernel loads elements from global memory
__global__ void smooth(float* out, const float* in, int n) {
    if (blockIdx.x != 0 || threadIdx.x != 0) return;
    for (int i = 0; i < n; ++i) {
        float sum = 0;
        for (int k = -3; k <= 3; ++k) sum += in[min(max(i + k, 0), n - 1)];
        out[i] = sum / 7;
    }
}
