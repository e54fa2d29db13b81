// REPLY: 58,113 numbers don't fit, and two calls return an error
__global__ void reverse(int* d, int n) {
    extern __shared__ int s[];
    for (int i = threadIdx.x; i < n; i += blockDim.x) s[i] = d[i];
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) d[i] = s[n - 1 - i];
}

cudaError_t reverse_on_device(int* d, int n) {
    size_t bytes = n * sizeof(int);
    cudaFuncSetAttribute(reverse, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    reverse<<<1, 256, bytes>>>(d, n);
    return cudaDeviceSynchronize();
}
