// POINTS: 0
// FAILS: compiles
// SAYS: undeclared.cu:5:26: error: device code: identifier "TILE" is undefined
__global__ void transpose(float* out, const float* in, int width, int height) {
    int x = blockIdx.x * TILE + threadIdx.x;
    int y = blockIdx.y * TILE + threadIdx.y;
    out[x * height + y] = in[y * width + x];
}
