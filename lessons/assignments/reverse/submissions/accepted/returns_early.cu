__global__ void reverse(int* data, int n) {
    extern __shared__ int s[];
    const int i = threadIdx.x;
    if (i >= n) return;
    s[i] = data[i];
    __syncthreads();
    data[i] = s[n - 1 - i];
}
