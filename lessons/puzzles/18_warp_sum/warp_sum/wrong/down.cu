// REPLY: only lane 0 gets everything
__global__ void warp_sum(const int* in, int* out) {
    int sum = in[threadIdx.x];
    for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffff, sum, step);
    out[threadIdx.x] = sum;
}
