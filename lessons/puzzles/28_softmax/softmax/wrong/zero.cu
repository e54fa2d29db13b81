// REPLY: Begin with the lane's own number
__global__ void softmax(const float* in, float* out) {
    float x = in[threadIdx.x], greatest = 0, other = x;
    for (int bit = 16; bit > 0; bit /= 2) other = fmaxf(other, __shfl_xor_sync(0xffffffff, other, bit));
    if (other > greatest) greatest = other;
    float e = expf(x - greatest), sum = e;
    for (int bit = 16; bit > 0; bit /= 2) sum += __shfl_xor_sync(0xffffffff, sum, bit);
    out[threadIdx.x] = e / sum;
}
