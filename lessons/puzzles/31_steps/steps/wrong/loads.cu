// REPLY: The place is right,
__global__ void steps(const int* in, int* out) {
    int best = 0;
    for (int i = 1; i < 31; ++i)
        if (in[i + 1] - in[i] > in[best + 1] - in[best]) best = i;
    if (threadIdx.x == 0) *out = best;
}
