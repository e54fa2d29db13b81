// REPLY: before the first addition?
__global__ void column_sums(const float* m, float* sums, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x >= width) return;
    for (int y = 0; y < height; ++y) sums[x] += m[y * width + x];
}
