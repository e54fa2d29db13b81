// REPLY: With `up`, only the last lane
__global__ void warp_max(const int* in, int* out) {
    int value = in[threadIdx.x];
    for (int step = 16; step > 0; step /= 2) value = max(value, __shfl_up_sync(0xffffffff, value, step));
    out[threadIdx.x] = value;
}
