// REPLY: With 3 blocks for 5000 elements, each thread must take several
__global__ void dot(const int* a, const int* b, int n, int* result) {
    __shared__ int parts[256];
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    parts[t] = i < n ? a[i] * b[i] : 0;
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (t < half) parts[t] += parts[t + half];
        __syncthreads();
    }
    if (t == 0) atomicAdd(result, parts[0]);
}
