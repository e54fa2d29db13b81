// POINTS: 1
// FAILS: 5000 numbers, 4 blocks
// FAILS: other lengths and grids
// FAILS: no races, no accesses outside the arrays
// REPLY: Some threads have no number: compare the index with
__global__ void sum(const int* data, int n, int* result) {
    __shared__ int parts[256];
    const int t = threadIdx.x;
    int own = 0;
    int i = blockIdx.x * blockDim.x + t;
    own += data[i];
    parts[t] = own;
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (t < half) parts[t] += parts[t + half];
        __syncthreads();
    }
    if (t == 0) atomicAdd(result, parts[0]);
}
