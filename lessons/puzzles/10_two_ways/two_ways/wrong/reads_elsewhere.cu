// REPLY: Both sides have the same index
__global__ void two_ways(const int* in, int* out) {
    int half = blockDim.x / 2, t = threadIdx.x;
    if (t < half) { out[2 * t] = twice(in[2 * t]); return; }
    t -= half;
    out[t * 2 + 1] = add_one(in[t]);
}
