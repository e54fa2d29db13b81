// One warp: each lane stores the greatest of the 32 values of in.
__global__ void warp_max(const int* in, int* out) {
    int value = in[threadIdx.x];
    // Your code.
    out[threadIdx.x] = value;
}
