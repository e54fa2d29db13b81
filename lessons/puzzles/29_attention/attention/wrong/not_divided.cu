// REPLY: still to be divided
__global__ void attention(float query, const float* keys, const float* values, float* out) {
    float score = query * keys[threadIdx.x], greatest = score;
    for (int bit = 16; bit > 0; bit /= 2) greatest = fmaxf(greatest, __shfl_xor_sync(0xffffffff, greatest, bit));
    float answer = expf(score - greatest) * values[threadIdx.x];
    for (int bit = 16; bit > 0; bit /= 2) answer += __shfl_xor_sync(0xffffffff, answer, bit);
    if (threadIdx.x == 0) *out = answer;
}
