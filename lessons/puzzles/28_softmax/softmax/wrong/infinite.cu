// REPLY: Which number can be subtracted
__global__ void softmax(const float* in, float* out) {
    float e = expf(in[threadIdx.x]), sum = e;
    for (int bit = 16; bit > 0; bit /= 2) sum += __shfl_xor_sync(0xffffffff, sum, bit);
    out[threadIdx.x] = e / sum;
}
