__global__ void rotate(int* data, int n, int shift) {
    __shared__ int tile[256];
    if (n > threadIdx.x) tile[threadIdx.x] = data[threadIdx.x];
    __syncthreads();
    if (threadIdx.x < n) data[threadIdx.x] = tile[(threadIdx.x + shift) % n];
}
