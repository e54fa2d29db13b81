// REPLY: For lane `step`, the
__global__ void prefix_sum(const int* in, int* out) {
    int sum = in[threadIdx.x];
    for (int step = 1; step < 32; step *= 2) {
        int below = __shfl_up_sync(0xffffffff, sum, step);
        if (threadIdx.x > step) sum += below;
    }
    out[threadIdx.x] = sum;
}
