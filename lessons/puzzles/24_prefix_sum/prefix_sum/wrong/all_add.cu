// REPLY: The lowest lanes have
__global__ void prefix_sum(const int* in, int* out) {
    int sum = in[threadIdx.x];
    for (int step = 1; step < 32; step *= 2) sum += __shfl_up_sync(0xffffffff, sum, step);
    out[threadIdx.x] = sum;
}
