// REPLY: are right, but neighboring
__global__ void scale(float* data, int n, float factor)
{
    for (int i = threadIdx.x * gridDim.x + blockIdx.x; i < n; i += gridDim.x * blockDim.x) data[i] *= factor;
}
