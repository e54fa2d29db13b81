// POINTS: 6
// FAILS: one atomic addition for each block
// REPLY: The sum is right, but too many threads add to global memory. Add the
__global__ void sum(const int* data, int n, int* result) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(result, data[i]);
}
