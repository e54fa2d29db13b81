// POINTS: 0
// FAILS: compiles
// SAYS: syntax.cu:6:5: error: device code: expected a ";"
__global__ void reverse(int* data, int n) {
    extern __shared__ int s[]
    int i = threadIdx.x;
    s[i] = data[i];
    __syncthreads();
    data[i] = s[n - 1 - i];
}
