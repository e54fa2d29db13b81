#include <cstdio>
#include <cuda_runtime.h>
#include <vector>
#define TILE 32
__global__ void transpose(float *out, const float *in, int width, int height)
{
    __shared__ float t[TILE][TILE + 1];
    int col = blockIdx.x * TILE + threadIdx.x;
    int row = blockIdx.y * TILE + threadIdx.y;
    if (row < height && col < width)
        t[threadIdx.y][threadIdx.x] = in[row * width + col];
    __syncthreads();
    col = blockIdx.y * TILE + threadIdx.x;
    row = blockIdx.x * TILE + threadIdx.y;
    if (row < width && col < height)
        out[row * height + col] = t[threadIdx.x][threadIdx.y];
}

int main()
{
    std::vector<float> h(64 * 64, 1.0f);
    float *a, *b;
    cudaMalloc(&a, 64 * 64 * 4);
    cudaMalloc(&b, 64 * 64 * 4);
    transpose<<<dim3(2, 2), dim3(32, 32)>>>(b, a, 64, 64);
    printf("done %f\n", h[0]);
}
