// out becomes the transpose of in. Both are 32 x 32 matrices, row after row; one block of 32 x 32 threads.
__global__ void transpose_tile(const float* in, float* out)
{
    int x = threadIdx.x, y = threadIdx.y;
    out[32 * x + y] = in[32 * y + x];
}
