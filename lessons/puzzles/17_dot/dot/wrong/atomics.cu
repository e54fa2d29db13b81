// REPLY: sum is right, but
__global__ void dot(const int* a, const int* b, int* out) {
    if (threadIdx.x == 0) *out = 0;
    __syncthreads();
    atomicAdd(out, a[threadIdx.x] * b[threadIdx.x]);
}
