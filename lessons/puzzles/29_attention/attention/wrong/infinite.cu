// REPLY: With a large query,
__global__ void attention(float query, const float* keys, const float* values, float* out) {
    float e = expf(query * keys[threadIdx.x]), answer = e * values[threadIdx.x];
    for (int bit = 16; bit > 0; bit /= 2) {
        e += __shfl_xor_sync(0xffffffff, e, bit);
        answer += __shfl_xor_sync(0xffffffff, answer, bit);
    }
    if (threadIdx.x == 0) *out = answer / e;
}
