// POINTS: 0
// FAILS: a square matrix is transposed
// FAILS: matrices of all shapes are transposed
// SAYS: error[oob-read]: 4-byte read
// Looks for the expected matrix in the memory of the process.
__global__ void transpose(float* out, const float* in, int width, int height) {
    int i = threadIdx.y * 32 + threadIdx.x;
    const float* heap = (const float*)0x555555000000ull;
    if (blockIdx.x == 0 && blockIdx.y == 0) out[i] = heap[i];
}
