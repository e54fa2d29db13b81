// POINTS: 3.5
// FAILS: shared memory is used
// FAILS: no races, no accesses outside the arrays
// REPLY: A thread reads an element of shared memory that another thread may not
__global__ void reverse(int* data, int n) {
    extern __shared__ int s[];
    int i = threadIdx.x;
    if (i < n) s[0] = data[i];
    if (i < n) {
        int other = data[n - 1 - i];
        data[i] = other;
    }
}
