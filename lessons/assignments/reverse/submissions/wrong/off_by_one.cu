// POINTS: 0
// FAILS: 64 numbers are reversed
// FAILS: other lengths are reversed, too
// SAYS: 64 of 64 elements of data are wrong; the first is data[0]
__global__ void reverse(int* data, int n) {
    extern __shared__ int s[];
    int i = threadIdx.x;
    if (i < n) s[i] = data[i];
    __syncthreads();
    if (i < n && i > 0) data[i] = s[n - i];
}
