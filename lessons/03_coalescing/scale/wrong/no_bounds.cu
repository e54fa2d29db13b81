// REPLY: What must it compare its index with
__global__ void scale(float* data, int n, float factor)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int threads = gridDim.x * blockDim.x;
    for (int k = 0; k < 8; ++k) data[k * threads + t] *= factor;
}
