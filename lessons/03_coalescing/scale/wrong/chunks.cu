// REPLY: If lane 0 takes element i
__global__ void scale(float* data, int n, float factor)
{
    int threads = gridDim.x * blockDim.x;
    int chunk = (n + threads - 1) / threads;
    int begin = (blockIdx.x * blockDim.x + threadIdx.x) * chunk;
    for (int i = begin; i < begin + chunk && i < n; ++i) data[i] *= factor;
}
