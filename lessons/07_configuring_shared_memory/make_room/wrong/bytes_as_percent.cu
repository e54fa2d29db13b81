// REPLY: The runtime refuses your value for four blocks of 32 KB
__global__ void work(int* d) {
    extern __shared__ int s[];
    s[threadIdx.x] = d[threadIdx.x];
    __syncthreads();
    d[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];
}

cudaError_t make_room(int blocks, size_t bytes) {
    cudaDeviceProp prop;
    cudaGetDeviceProperties(&prop, 0);
    size_t needed = blocks * (bytes + prop.reservedSharedMemPerBlock);
    return cudaFuncSetAttribute(work, cudaFuncAttributePreferredSharedMemoryCarveout, needed);
}
