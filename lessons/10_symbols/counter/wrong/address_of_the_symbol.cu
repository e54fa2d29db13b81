// REPLY: The runtime doesn't know this symbol
__device__ int positive;

// Adds to `positive` the number of elements of d that are greater than 0. The grid is rounded up.
__global__ void count(const float* d, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && d[i] > 0) atomicAdd(&positive, 1);
}

// How many of the n floats in device memory are greater than 0.
int count_positive(const float* d, int n) {
    int result = 0;
    cudaMemcpyToSymbol(&positive, &result, sizeof(result));
    count<<<(n + 255) / 256, 256>>>(d, n);
    cudaMemcpyFromSymbol(&result, &positive, sizeof(result));
    return result;
}
