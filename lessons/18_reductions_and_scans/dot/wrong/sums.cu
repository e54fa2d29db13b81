// REPLY: You add the elements
__global__ void dot(const int* a, const int* b, int n, int* result) {
    __shared__ int parts[256];
    int t = threadIdx.x, own = 0;
    for (int i = blockIdx.x * 256 + t; i < n; i += gridDim.x * 256) own += a[i] + b[i];
    parts[t] = own;
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (t < half) parts[t] += parts[t + half];
        __syncthreads();
    }
    if (t == 0) atomicAdd(result, parts[0]);
}
