// POINTS: 0
// FAILS: 64 numbers are reversed
// FAILS: other lengths are reversed, too
// SAYS: error[trap]: the kernel stopped itself with a trap
__global__ void reverse(int* data, int n) {
    int* s = 0;
    int i = threadIdx.x;
    if (i < n) s[i] = data[i];
    __syncthreads();
    if (i < n) data[i] = s[n - 1 - i];
}
