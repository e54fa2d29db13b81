// POINTS: 0
// FAILS: 64 numbers are reversed
// FAILS: other lengths are reversed, too
// REPLY: A thread reads an element of shared memory that another thread may not
// SAYS: 32 of 64 elements of data are wrong; the first is data[0]
__global__ void reverse(int* data, int n) {
    extern __shared__ int s[];
    int i = threadIdx.x;
    if (i < n) s[i] = data[i];
    __syncwarp();
    if (i < n) data[i] = s[n - 1 - i];
}
