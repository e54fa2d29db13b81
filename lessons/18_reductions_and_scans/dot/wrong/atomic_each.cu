// REPLY: every thread goes to global memory by itself
__global__ void dot(const int* a, const int* b, int n, int* result) {
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) atomicAdd(result, a[i] * b[i]);
}
