// REPLY: Where does thread 0 of block 1 begin
__global__ void scale(float* data, int n, float factor)
{
    int t = threadIdx.x;
    for (int i = t; i < n; i += blockDim.x) data[i] *= factor;
}
