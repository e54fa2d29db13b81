// POINTS: 3
// FAILS: without atomic operations
// SAYS: line 10: red in asm
__global__ void rotate(int* data, int n, int shift) {
    __shared__ int tile[256];
    if (threadIdx.x < n) tile[threadIdx.x] = data[threadIdx.x];
    __syncthreads();
    const int mine = threadIdx.x < n ? tile[(threadIdx.x + shift) % n] : 0;
    if (threadIdx.x < n) data[threadIdx.x] = 0;
    if (threadIdx.x < n) asm volatile("red.global.add.s32 [%0], %1;" ::"l"(&data[threadIdx.x]), "r"(mine) : "memory");
}
