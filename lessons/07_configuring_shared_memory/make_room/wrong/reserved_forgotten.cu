// REPLY: 32 blocks of 1 KB take more than 32 KB
__global__ void work(int* d) {
    extern __shared__ int s[];
    s[threadIdx.x] = d[threadIdx.x];
    __syncthreads();
    d[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];
}

cudaError_t make_room(int blocks, size_t bytes) {
    cudaDeviceProp prop;
    cudaGetDeviceProperties(&prop, 0);
    size_t needed = blocks * bytes;
    size_t total = prop.sharedMemPerMultiprocessor;
    if (needed > total) return cudaErrorInvalidValue;
    int percent = (needed * 100 + total - 1) / total;
    return cudaFuncSetAttribute(work, cudaFuncAttributePreferredSharedMemoryCarveout, percent);
}
