// Multiplies data[0] ... data[n - 1] by factor. Correct for 8 elements a thread, but look at what a warp accesses.
__global__ void scale(float* data, int n, float factor)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < 8; ++k)
        if (8 * t + k < n) data[8 * t + k] *= factor;
}
