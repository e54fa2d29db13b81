// One warp: out[i] becomes in[0] + ... + in[i - 1].
__global__ void exclusive(const int* in, int* out) {
    int lane = threadIdx.x, value = in[lane];
    // Your code.
}
