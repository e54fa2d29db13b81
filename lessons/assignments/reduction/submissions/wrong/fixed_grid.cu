// POINTS: 4
// FAILS: other lengths and grids
// FAILS: the long array is added up
__global__ void sum(const int* data, int n, int* result) {
    __shared__ int parts[256];
    const int t = threadIdx.x;
    int own = 0;
    for (int i = blockIdx.x * blockDim.x + t; i < n; i += 1024) own += data[i];
    parts[t] = own;
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (t < half) parts[t] += parts[t + half];
        __syncthreads();
    }
    if (t == 0) atomicAdd(result, parts[0]);
}
