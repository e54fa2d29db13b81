// REPLY: before all have copied their element
__global__ void add_neighbors(int* d, int rounds)
{
    __shared__ int s[256];
    int t = threadIdx.x;
    s[t] = d[t];
    for (int k = 0; k < rounds; ++k) {
        int right = t < 255 ? s[t + 1] : 0;
        __syncthreads();
        s[t] += right;
        __syncthreads();
    }
    d[t] = s[t];
}
