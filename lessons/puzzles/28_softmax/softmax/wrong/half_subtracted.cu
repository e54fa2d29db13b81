// REPLY: the share must have it
__global__ void softmax(const float* in, float* out) {
    float x = in[threadIdx.x], greatest = x;
    for (int bit = 16; bit > 0; bit /= 2) greatest = fmaxf(greatest, __shfl_xor_sync(0xffffffff, greatest, bit));
    float sum = expf(x - greatest);
    for (int bit = 16; bit > 0; bit /= 2) sum += __shfl_xor_sync(0xffffffff, sum, bit);
    out[threadIdx.x] = expf(x) / sum;
}
