__global__ void attention(float query, const float* keys, const float* values, float* out) {
    float score = query * keys[threadIdx.x];
    // Your code.
    if (threadIdx.x == 0) *out = score;
}
