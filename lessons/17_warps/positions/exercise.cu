// One warp, n <= 32: the elements of in that are greater than 0 go to the beginning of out; *count is their number.
__global__ void positives(const float* in, float* out, int* count, int n) {
    int lane = threadIdx.x;
    // Your code.
}
