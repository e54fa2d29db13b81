// REPLY: Is m one of them
__global__ void gather(const int* in, int m, const int* where, int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = where[i] >= 0 && where[i] <= m ? in[where[i]] : -1;
}
