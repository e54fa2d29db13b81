// REPLY: A lane makes the call, but the mask doesn't name it
__global__ void warp_max(const int* in, int* out) {
    int value = in[threadIdx.x];
    for (int bit = 16; bit > 0; bit /= 2) value = max(value, __shfl_xor_sync(0xffff, value, bit));
    out[threadIdx.x] = value;
}
