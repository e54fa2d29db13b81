// REPLY: If all steps are
__global__ void steps(const int* in, int* out) {
    int place = threadIdx.x, x = in[place], y = __shfl_down_sync(0xffffffff, x, 1), step = y - x;
    if (place == 31) step = 0;
    for (int bit = 16; bit > 0; bit /= 2) {
        int s = __shfl_xor_sync(0xffffffff, step, bit), p = __shfl_xor_sync(0xffffffff, place, bit);
        if (s > step || (s == step && p < place)) step = s, place = p;
    }
    if (threadIdx.x == 0) *out = place;
}
