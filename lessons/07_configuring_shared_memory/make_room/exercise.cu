__global__ void work(int* d) {
    extern __shared__ int s[];
    s[threadIdx.x] = d[threadIdx.x];
    __syncthreads();
    d[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];
}

// Sets the carve-out of `work` to the least percentage with which a multiprocessor has room for `blocks` blocks that
// use `bytes` bytes of dynamic shared memory each. Returns cudaErrorInvalidValue, and changes nothing, if there is
// none.
cudaError_t make_room(int blocks, size_t bytes) {
    cudaDeviceProp prop;
    cudaGetDeviceProperties(&prop, 0);
    int percent = 0;
    return cudaSuccess;
}
