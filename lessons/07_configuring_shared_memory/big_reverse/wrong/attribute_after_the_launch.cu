// REPLY: the order of your two calls
__global__ void reverse(int* d, int n) {
    extern __shared__ int s[];
    for (int i = threadIdx.x; i < n; i += blockDim.x) s[i] = d[i];
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) d[i] = s[n - 1 - i];
}

cudaError_t reverse_on_device(int* d, int n) {
    reverse<<<1, 256, n * sizeof(int)>>>(d, n);
    cudaError_t status = cudaGetLastError();
    cudaFuncSetAttribute(reverse, cudaFuncAttributeMaxDynamicSharedMemorySize, n * sizeof(int));
    return status;
}
