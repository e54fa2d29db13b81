// EQUAL: rotate works in block 0 alone    there is one block
__global__ void rotate(int* data, int n, int shift) {
    __shared__ int tile[256];
    if (threadIdx.x < n) tile[threadIdx.x] = data[threadIdx.x];
    __syncthreads();
    if (threadIdx.x < n) data[threadIdx.x] = tile[(threadIdx.x + shift) % n];
}
