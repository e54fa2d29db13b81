// Reverses the n integers of d in one block, through dynamic shared memory.
__global__ void reverse(int* d, int n) {
    extern __shared__ int s[];
    int i = threadIdx.x;  // n may be larger than the block
    s[i] = d[i];
    d[i] = s[n - 1 - i];
}

// Launches it with one block of 256 threads. Returns the status of what fails first.
cudaError_t reverse_on_device(int* d, int n) {
    size_t bytes = 0;  // of dynamic shared memory
    reverse<<<1, 256, bytes>>>(d, n);
    return cudaGetLastError();
}
