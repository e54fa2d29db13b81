// Document 3: both diagonal transposes and the part of main that chooses one. As printed both kernels have the name of
// the first, and the case lines lack the slashes of their comments; both are mended here. Added by the reader: the
// function around the switch and a check of every element.
#include <stdio.h>
#include <stdlib.h>

__global__ void transposeDiagonalRow(float *out, float *in, const int nx, const int ny){
    unsigned int blk_y = blockIdx.x;
    unsigned int blk_x = (blockIdx.x+blockIdx.y) % gridDim.x;

    unsigned int ix = blockDim.x * blk_x + threadIdx.x;
    unsigned int iy = blockDim.y * blk_y + threadIdx.y;

    if(ix < nx && iy < ny){
        out[ix*ny + iy] = in[iy*nx + ix];
    }
}

__global__ void transposeDiagonalCol(float *out, float *in, const int nx, const int ny){
    unsigned int blk_y = blockIdx.x;
    unsigned int blk_x = (blockIdx.x+blockIdx.y) % gridDim.x;

    unsigned int ix = blockDim.x * blk_x + threadIdx.x;
    unsigned int iy = blockDim.y * blk_y + threadIdx.y;

    if(ix < nx && iy < ny){
        out[iy*nx + ix] = in[ix*ny + iy];
    }
}

int transpose(int choice, float *out, float *in, const float *hostIn, float *hostOut, int nx, int ny) {
    void (*kernel)(float *, float *, int, int) = nullptr;
    const char *kernelName = "";
    switch (choice) {
        case 6:
            kernel = &transposeDiagonalRow;
            kernelName = "DiagonalRow       ";
            break;

        case 7:
            kernel = &transposeDiagonalCol;
            kernelName = "DiagonalCol       ";
            break;
    }
    const size_t bytes = size_t(nx) * ny * sizeof(float);
    dim3 block(16, 16);
    dim3 grid((nx + block.x - 1) / block.x, (ny + block.y - 1) / block.y);
    cudaMemset(out, 0, bytes);
    kernel<<<grid, block>>>(out, in, nx, ny);
    cudaMemcpy(hostOut, out, bytes, cudaMemcpyDeviceToHost);

    int wrong = 0;
    for (int y = 0; y < ny; ++y)
        for (int x = 0; x < nx; ++x) wrong += hostOut[size_t(x) * ny + y] != hostIn[size_t(y) * nx + x];
    printf("%s <<< grid (%u,%u) block (%u,%u)>>> wrong %d\n", kernelName, grid.x, grid.y, block.x, block.y, wrong);
    return wrong;
}

int main() {
    const int nx = 2048, ny = 2048;
    const size_t bytes = size_t(nx) * ny * sizeof(float);
    float *hostIn = (float *)malloc(bytes), *hostOut = (float *)malloc(bytes);
    for (int i = 0; i < nx * ny; ++i) hostIn[i] = float(i);
    float *in, *out;
    cudaMalloc(&in, bytes);
    cudaMalloc(&out, bytes);
    cudaMemcpy(in, hostIn, bytes, cudaMemcpyHostToDevice);

    int wrong = transpose(6, out, in, hostIn, hostOut, nx, ny) + transpose(7, out, in, hostIn, hostOut, nx, ny);

    cudaFree(in);
    cudaFree(out);
    free(hostIn);
    free(hostOut);
    return wrong != 0;
}
