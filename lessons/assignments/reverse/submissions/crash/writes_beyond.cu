// POINTS: 5.5
// FAILS: other lengths are reversed, too
// FAILS: no races, no accesses outside the arrays
// REPLY: Some threads have no element: n can be less than the number of threads
__global__ void reverse(int* data, int n) {
    extern __shared__ int s[];
    const int i = threadIdx.x;
    if (i < n) s[i] = data[i];
    __syncthreads();
    data[i] = i < n ? s[n - 1 - i] : 0;
}
