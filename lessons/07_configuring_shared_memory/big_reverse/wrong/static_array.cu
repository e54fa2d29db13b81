// REPLY: A static array can have 48 KB at most, on every device and with any attribute
__global__ void reverse(int* d, int n) {
    __shared__ int s[58112];
    for (int i = threadIdx.x; i < n; i += blockDim.x) s[i] = d[i];
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) d[i] = s[n - 1 - i];
}

cudaError_t reverse_on_device(int* d, int n) {
    reverse<<<1, 256>>>(d, n);
    return cudaGetLastError();
}
