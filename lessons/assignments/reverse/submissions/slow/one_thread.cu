// POINTS: 0
// FAILS: 64 numbers are reversed
// SAYS: it ran longer than 5 s and was stopped: is there a loop that never ends?
__global__ void reverse(int* data, int n) {
    extern __shared__ int s[];
    if (threadIdx.x == 0) {
        for (int i = 0; i < n; ++i) s[i] = data[i];
        while (true) atomicAdd(&s[0], 1);
    }
}
