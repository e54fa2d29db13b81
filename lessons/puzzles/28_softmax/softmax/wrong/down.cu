// REPLY: only lane 0 has the right
__global__ void softmax(const float* in, float* out) {
    float x = in[threadIdx.x], greatest = x;
    for (int step = 16; step > 0; step /= 2) greatest = fmaxf(greatest, __shfl_down_sync(0xffffffff, greatest, step));
    float e = expf(x - greatest), sum = e;
    for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffff, sum, step);
    out[threadIdx.x] = e / sum;
}
