// ATTACK: adds stores of one sector each, until the average of all is small
// POINTS: 5
// FAILS: each warp writes at most 4 sectors
// FAILS: no more traffic than the solution's
// REPLY: Your stores go down a column of out, so each of the 32 threads of a
__global__ void transpose(float* out, const float* in, int width, int height) {
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    if (x >= width || y >= height) return;
    const float value = in[y * width + x];
    volatile float* to = &out[x * height + y];
    *to = value;
    if (threadIdx.x == 0)
        for (int i = 0; i < 300; ++i) *to = value;
}
