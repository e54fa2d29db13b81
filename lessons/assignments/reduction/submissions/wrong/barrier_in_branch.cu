// POINTS: 8
// FAILS: no races, no accesses outside the arrays
// REPLY: Only some threads of the block reach a barrier. Can the `if` end before
__global__ void sum(const int* data, int n, int* result) {
    __shared__ int parts[256];
    const int t = threadIdx.x;
    int own = 0;
    for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x) own += data[i];
    parts[t] = own;
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (t < half) {
            parts[t] += parts[t + half];
            __syncthreads();
        } else {
            __syncthreads();
        }
    }
    if (t == 0) atomicAdd(result, parts[0]);
}
