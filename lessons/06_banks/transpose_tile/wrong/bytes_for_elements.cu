// REPLY: A thread writes past
__global__ void transpose_tile(const float* in, float* out)
{
    int x = threadIdx.x, y = threadIdx.y;
    __shared__ float tile[32 * 33];
    tile[(33 * y + x) * sizeof(float)] = in[32 * y + x];
    __syncthreads();
    out[32 * y + x] = tile[(33 * x + y) * sizeof(float)];
}
