// REPLY: What should end the loop instead of a count?
__global__ void scale(float* data, int n, float factor)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int threads = gridDim.x * blockDim.x;
    for (int k = 0; k < 8; ++k)
        if (k * threads + t < n) data[k * threads + t] *= factor;
}
