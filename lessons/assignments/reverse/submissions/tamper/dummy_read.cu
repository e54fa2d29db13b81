// ATTACK: reverses in registers, and reads shared memory for nothing
// POINTS: 6
// FAILS: every number goes to shared memory
__global__ void reverse(int* data, int n) {
    extern __shared__ volatile int s[];
    const int i = threadIdx.x;
    const int mine = i < n ? data[n - 1 - i] : 0;
    if (i == 0) s[0] = 0;
    __syncthreads();
    const int nothing = s[0];
    if (i < n) data[i] = mine + 0 * nothing;
}
