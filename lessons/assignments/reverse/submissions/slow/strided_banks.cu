// POINTS: 9
// FAILS: no bank conflicts when it writes
// FAILS: no bank conflicts when it reads
// SAYS: the counter is not what it should be
__global__ void reverse(int* data, int n) {
    __shared__ int s[32 * 32];
    int i = threadIdx.x;
    if (i < n) s[i % 32 * 32 + i / 32] = data[i];
    __syncthreads();
    int j = n - 1 - i;
    if (i < n) data[i] = s[j % 32 * 32 + j / 32];
}
