// POINTS: 0.554
// FAILS: a square matrix is transposed
// FAILS: matrices of all shapes are transposed
// SAYS: 3072 of 4096 elements of out are wrong; the first is out[0][32]
__global__ void transpose(float* out, const float* in, int width, int height) {
    if (blockIdx.x || blockIdx.y) return;
    int x = threadIdx.x, y = threadIdx.y;
    if (x < width && y < height) out[x * height + y] = in[y * width + x];
}
