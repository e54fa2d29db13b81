// POINTS: 6
// FAILS: every number goes to shared memory
// SAYS: the counter is not what it should be
__global__ void reverse(int* data, int n) {
    int i = threadIdx.x;
    int mine = i < n ? data[n - 1 - i] : 0;
    __syncthreads();
    if (i < n) data[i] = mine;
}
