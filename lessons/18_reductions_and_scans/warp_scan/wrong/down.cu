// REPLY: `down` reads lanes *after* this one
__global__ void exclusive(const int* in, int* out) {
    int lane = threadIdx.x, value = in[lane], sum = value;
    for (int step = 1; step < 32; step *= 2) {
        int other = __shfl_down_sync(0xffffffff, sum, step);
        if (lane + step < 32) sum += other;
    }
    out[lane] = sum - value;
}
