#define MOST 1024
__device__ int mirrored(int i, int n) { return n - 1 - i; }

__global__ void reverse(int* data, int n) {
    __shared__ int s[MOST];
    for (int i = threadIdx.x; i < n; i += blockDim.x) s[i] = data[i];
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) data[i] = s[mirrored(i, n)];
}
