// REPLY: Both lanes of a
__global__ void sort(const int* in, int* out) {
    int lane = threadIdx.x, x = in[lane];
    for (int bit = 16; bit > 0; bit /= 2) {
        int other = __shfl_xor_sync(0xffffffff, x, bit);
        x = x > other ? other : x;
    }
    out[lane] = x;
}
