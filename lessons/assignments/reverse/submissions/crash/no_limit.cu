// POINTS: 5.5
// FAILS: other lengths are reversed, too
// FAILS: no races, no accesses outside the arrays
// REPLY: Some threads have no element: n can be less than the number of threads
// SAYS: error[oob-read]: 4-byte read
__global__ void reverse(int* data, int n) {
    extern __shared__ int s[];
    int i = threadIdx.x;
    s[i] = data[i];
    __syncthreads();
    data[i] = s[n - 1 - i];
}
