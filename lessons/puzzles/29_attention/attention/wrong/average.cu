// REPLY: whatever the query is
__global__ void attention(float query, const float* keys, const float* values, float* out) {
    float sum = values[threadIdx.x];
    for (int bit = 16; bit > 0; bit /= 2) sum += __shfl_xor_sync(0xffffffff, sum, bit);
    if (threadIdx.x == 0) *out = sum / 32;
}
