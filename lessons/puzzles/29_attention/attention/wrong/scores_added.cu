// REPLY: not the scores
__global__ void attention(float query, const float* keys, const float* values, float* out) {
    float score = query * keys[threadIdx.x], answer = score * values[threadIdx.x];
    for (int bit = 16; bit > 0; bit /= 2) {
        score += __shfl_xor_sync(0xffffffff, score, bit);
        answer += __shfl_xor_sync(0xffffffff, answer, bit);
    }
    if (threadIdx.x == 0) *out = answer / score;
}
