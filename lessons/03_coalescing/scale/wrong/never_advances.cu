// REPLY: Which value ends the loop
__global__ void scale(float* data, int n, float factor)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; ) data[i] *= factor;
}
