// POINTS: 8
// FAILS: no races, no accesses outside the arrays
// REPLY: Some elements in shared memory are uninitialized. What should a thread
__global__ void sum(const int* data, int n, int* result) {
    __shared__ int parts[256];
    const int t = threadIdx.x;
    int own = 0;
    for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x) own += data[i];
    if (own != 0) parts[t] = own;
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (t < half) parts[t] += parts[t + half];
        __syncthreads();
    }
    if (t == 0) atomicAdd(result, parts[0]);
}
