// REPLY: The mask names half
__global__ void warp_sum(const int* in, int* out) {
    int sum = in[threadIdx.x];
    for (int bit = 16; bit > 0; bit /= 2) sum += __shfl_xor_sync(0xffff, sum, bit);
    out[threadIdx.x] = sum;
}
