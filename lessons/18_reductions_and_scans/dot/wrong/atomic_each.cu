// REPLY: The result is right, but every thread adds to global memory
__global__ void dot(const int* a, const int* b, int n, int* result) {
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) atomicAdd(result, a[i] * b[i]);
}
