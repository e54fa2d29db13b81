// REPLY: There are more numbers than the 256 threads of the block
__global__ void reverse(int* d, int n) {
    extern __shared__ int s[];
    int i = threadIdx.x;
    if (i < n) s[i] = d[i];
    __syncthreads();
    if (i < n) d[i] = s[n - 1 - i];
}

cudaError_t reverse_on_device(int* d, int n) {
    size_t bytes = n * sizeof(int);
    cudaError_t status = cudaFuncSetAttribute(reverse, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    if (status != cudaSuccess) return status;
    reverse<<<1, 256, bytes>>>(d, n);
    return cudaGetLastError();
}
