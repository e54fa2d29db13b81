// POINTS: 3
// FAILS: 5000 numbers, 4 blocks
// FAILS: other lengths and grids
// REPLY: With 1024 threads for 5000 numbers, which numbers does no thread add
__global__ void sum(const int* data, int n, int* result) {
    __shared__ int parts[256];
    const int t = threadIdx.x;
    int own = 0;
    int i = blockIdx.x * blockDim.x + t;
    if (i < n) own += data[i];
    parts[t] = own;
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (t < half) parts[t] += parts[t + half];
        __syncthreads();
    }
    if (t == 0) atomicAdd(result, parts[0]);
}
