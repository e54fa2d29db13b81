// ATTACK: stores by atomic operations, which no limit on stores counts
// POINTS: 4
// FAILS: it stores without atomic operations
// FAILS: no more traffic than the solution's
__global__ void transpose(float* out, const float* in, int width, int height) {
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    if (x < width && y < height) atomicExch(&out[x * height + y], in[y * width + x]);
}
