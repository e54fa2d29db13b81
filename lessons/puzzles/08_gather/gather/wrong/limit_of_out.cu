// REPLY: How many elements has `in`
__global__ void gather(const int* in, int m, const int* where, int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int from = where[i];
    out[i] = from >= 0 && from < n ? in[from] : -1;
}
