// EQUAL: reverse works in block 0 alone (it is launched with one block)
__global__ void reverse(int* data, int n) {
    extern __shared__ int s[];
    const int i = threadIdx.x;
    if (i < n) s[i] = data[i];
    __syncthreads();
    if (i < n) data[i] = s[n - 1 - i];
}
