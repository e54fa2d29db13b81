// POINTS: 0
// FAILS: compiles
// SAYS: error[no-such-kernel]: there is no kernel reverse(int*, int)
__global__ void reverseArray(int* data, int n) {
    extern __shared__ int s[];
    int i = threadIdx.x;
    if (i < n) s[i] = data[i];
    __syncthreads();
    if (i < n) data[i] = s[n - 1 - i];
}
