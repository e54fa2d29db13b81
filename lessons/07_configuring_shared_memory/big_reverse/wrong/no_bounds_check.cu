// REPLY: With 64 numbers, some of the 256 threads have no element, but yours read one anyway
__global__ void reverse(int* d, int n) {
    extern __shared__ int s[];
    int i = threadIdx.x;
    s[i] = d[i];
    __syncthreads();
    d[i] = s[n - 1 - i];
}

cudaError_t reverse_on_device(int* d, int n) {
    size_t bytes = n * sizeof(int);
    cudaError_t status = cudaFuncSetAttribute(reverse, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    if (status != cudaSuccess) return status;
    reverse<<<1, 256, bytes>>>(d, n);
    return cudaGetLastError();
}
