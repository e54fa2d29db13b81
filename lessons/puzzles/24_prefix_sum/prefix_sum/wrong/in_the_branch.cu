// REPLY: A lane reads from
__global__ void prefix_sum(const int* in, int* out) {
    int sum = in[threadIdx.x];
    for (int step = 1; step < 32; step *= 2)
        if (threadIdx.x >= step) {
            int below = __shfl_up_sync(0xffffffff, sum, step);
            sum += below;
        }
    out[threadIdx.x] = sum;
}
