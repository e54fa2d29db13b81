// REPLY: Host code reads `d`, which points to device memory
__device__ int positive;

// Adds to `positive` the number of elements of d that are greater than 0. The grid is rounded up.
__global__ void count(const float* d, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && d[i] > 0) atomicAdd(&positive, 1);
}

// How many of the n floats in device memory are greater than 0.
int count_positive(const float* d, int n) {
    int result = 0;
    for (int i = 0; i < n; ++i)
        if (d[i] > 0) ++result;
    return result;
}
