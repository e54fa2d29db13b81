// REPLY: `down` reads from higher
__global__ void prefix_sum(const int* in, int* out) {
    int sum = in[threadIdx.x];
    for (int step = 1; step < 32; step *= 2) {
        int other = __shfl_down_sync(0xffffffff, sum, step);
        if (threadIdx.x >= step) sum += other;
    }
    out[threadIdx.x] = sum;
}
