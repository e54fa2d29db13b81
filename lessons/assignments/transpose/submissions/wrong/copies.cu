// POINTS: 0.006
// FAILS: a square matrix is transposed
// FAILS: matrices of all shapes are transposed
// SAYS: 4032 of 4096 elements of out are wrong; the first is out[0][1]
__global__ void transpose(float* out, const float* in, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) out[y * width + x] = in[y * width + x];
}
