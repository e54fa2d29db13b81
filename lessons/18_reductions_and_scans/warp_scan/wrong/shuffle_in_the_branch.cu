// REPLY: Some lanes that the mask names don't make the call
__global__ void exclusive(const int* in, int* out) {
    int lane = threadIdx.x, value = in[lane], sum = value;
    for (int step = 1; step < 32; step *= 2)
        if (lane >= step) sum += __shfl_up_sync(0xffffffff, sum, step);
    out[lane] = sum - value;
}
