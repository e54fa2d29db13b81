// POINTS: 6
// FAILS: one atomic addition for each block
// REPLY: The sum is right, but too many threads go to global memory. Add up
__global__ void sum(const int* data, int n, int* result) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(result, data[i]);
}
