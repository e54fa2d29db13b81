// POINTS: 9.5
// FAILS: loads are coalesced
// REPLY: Neighboring threads read numbers that are far apart. If thread t reads
__global__ void sum(const int* data, int n, int* result) {
    __shared__ int parts[256];
    const int t = threadIdx.x, threads = gridDim.x * blockDim.x, each = (n + threads - 1) / threads;
    int own = 0, first = (blockIdx.x * blockDim.x + t) * each;
    for (int i = first; i < first + each && i < n; ++i) own += data[i];
    parts[t] = own;
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (t < half) parts[t] += parts[t + half];
        __syncthreads();
    }
    if (t == 0) atomicAdd(result, parts[0]);
}
