// POINTS: 9.5
// FAILS: no bank conflicts
// REPLY: Your threads access elements of shared memory that are a power of two
__global__ void sum(const int* data, int n, int* result) {
    __shared__ int parts[256];
    const int t = threadIdx.x;
    int own = 0;
    for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x) own += data[i];
    parts[t] = own;
    __syncthreads();
    for (int step = 1; step < 256; step *= 2) {
        const int k = 2 * step * t;
        if (k < 256) parts[k] += parts[k + step];
        __syncthreads();
    }
    if (t == 0) atomicAdd(result, parts[0]);
}
