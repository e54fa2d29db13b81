// REPLY: don't exchange anything yet
__global__ void warp_max(const int* in, int* out) {
    out[threadIdx.x] = in[threadIdx.x];
}
