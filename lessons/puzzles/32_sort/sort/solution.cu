__global__ void sort(const int* in, int* out) {
    int lane = threadIdx.x, x = in[lane];
    for (int size = 2; size <= 32; size *= 2)
        for (int bit = size / 2; bit > 0; bit /= 2) {
            int other = __shfl_xor_sync(0xffffffff, x, bit);
            bool less = ((lane & bit) == 0) == ((lane & size) == 0);
            x = less ? min(x, other) : max(x, other);
        }
    out[lane] = x;
}
