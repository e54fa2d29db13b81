__global__ void sum(const int* data, int n, int* result) {
    __shared__ int parts[256];
    const int t = threadIdx.x;
    int own = 0;
    for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x) own += data[i];
    parts[t] = own;
    __syncthreads();
    for (int half = 128; half >= 32; half /= 2) {
        if (t < half) parts[t] += parts[t + half];
        __syncthreads();
    }
    if (t < 32) {
        int value = parts[t];
        for (int step = 16; step > 0; step /= 2) value += __shfl_down_sync(0xffffffff, value, step);
        if (t == 0) atomicAdd(result, value);
    }
}
