// REPLY: The attribute raises a limit, but it allocates nothing
__global__ void reverse(int* d, int n) {
    extern __shared__ int s[];
    for (int i = threadIdx.x; i < n; i += blockDim.x) s[i] = d[i];
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) d[i] = s[n - 1 - i];
}

cudaError_t reverse_on_device(int* d, int n) {
    cudaError_t status = cudaFuncSetAttribute(reverse, cudaFuncAttributeMaxDynamicSharedMemorySize, n * sizeof(int));
    if (status != cudaSuccess) return status;
    reverse<<<1, 256>>>(d, n);
    return cudaGetLastError();
}
