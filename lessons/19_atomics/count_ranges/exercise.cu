// bins[k] grows by the number of elements with k <= x < k + 1, for k from 0 to 15. Blocks of 128 threads.
__global__ void ranges(const float* x, int n, unsigned* bins) {
    __shared__ unsigned own[16];
    // Your code.
}
