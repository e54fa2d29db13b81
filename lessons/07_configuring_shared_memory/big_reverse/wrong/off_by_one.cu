// REPLY: Set i = 0 in your index
__global__ void reverse(int* d, int n) {
    extern __shared__ int s[];
    for (int i = threadIdx.x; i < n; i += blockDim.x) s[i] = d[i];
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) d[i] = s[n - i];
}

cudaError_t reverse_on_device(int* d, int n) {
    size_t bytes = n * sizeof(int);
    cudaError_t status = cudaFuncSetAttribute(reverse, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    if (status != cudaSuccess) return status;
    reverse<<<1, 256, bytes>>>(d, n);
    return cudaGetLastError();
}
