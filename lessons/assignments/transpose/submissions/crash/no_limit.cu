// POINTS: 2
// FAILS: matrices of all shapes are transposed
// FAILS: no races, no accesses outside the arrays
// FAILS: each warp writes at most 4 sectors
// FAILS: no more traffic than the solution's
// REPLY: Your stores go down a column of out, so each of the 32 threads of a
// SAYS: error[oob-write]: 4-byte write
__global__ void transpose(float* out, const float* in, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    out[x * height + y] = in[y * width + x];
}
