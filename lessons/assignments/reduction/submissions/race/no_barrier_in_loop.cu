// POINTS: 0
// FAILS: 256 numbers, one block
// REPLY: In each round, thread t reads what thread t + half wrote in the
__global__ void sum(const int* data, int n, int* result) {
    __shared__ int parts[256];
    const int t = threadIdx.x;
    int own = 0;
    for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x) own += data[i];
    parts[t] = own;
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (t < half) parts[t] += parts[t + half];
    }
    if (t == 0) atomicAdd(result, parts[0]);
}
