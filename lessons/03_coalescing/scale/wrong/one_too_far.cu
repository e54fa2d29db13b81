// REPLY: A thread accesses the
__global__ void scale(float* data, int n, float factor)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i <= n; i += gridDim.x * blockDim.x) data[i] *= factor;
}
