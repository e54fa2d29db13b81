// REPLY: Keep it in a variable
__global__ void gather(const int* in, int m, const volatile int* where, int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = where[i] >= 0 && where[i] < m ? in[where[i]] : -1;
}
