// Document 2: the tiles become external arrays whose size comes with the launch. As printed it lacks a type, and both
// arrays would start at the same address; the launch is lost and its 1024 bytes are enough for one tile only. Here: one
// float array, cut in two, and twice the size.
#include <stdio.h>

#define TILE_WIDTH 16

__global__ void MatrixMulKernel(float *M, float *N, float *P, int Width) {
    extern __shared__ float tiles[];
    float *Mds = tiles;
    float *Nds = tiles + TILE_WIDTH * TILE_WIDTH;

    int tx = threadIdx.x, ty = threadIdx.y;
    int Row = blockIdx.y * TILE_WIDTH + ty;
    int Col = blockIdx.x * TILE_WIDTH + tx;
    float Pvalue = 0;
    for (int ph = 0; ph < Width / TILE_WIDTH; ++ph) {
        Mds[ty * TILE_WIDTH + tx] = M[Row * Width + ph * TILE_WIDTH + tx];
        Nds[ty * TILE_WIDTH + tx] = N[(ph * TILE_WIDTH + ty) * Width + Col];
        __syncthreads();
        for (int k = 0; k < TILE_WIDTH; ++k) Pvalue += Mds[ty * TILE_WIDTH + k] * Nds[k * TILE_WIDTH + tx];
        __syncthreads();
    }
    P[Row * Width + Col] = Pvalue;
}

int main() {
    const int Width = 48;
    const size_t bytes = Width * Width * sizeof(float);
    static float hM[Width * Width], hN[Width * Width], hP[Width * Width];
    for (int i = 0; i < Width * Width; ++i) {
        hM[i] = float(i % 9);
        hN[i] = float(i % 4);
    }
    float *M, *N, *P;
    cudaMalloc(&M, bytes);
    cudaMalloc(&N, bytes);
    cudaMalloc(&P, bytes);
    cudaMemcpy(M, hM, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(N, hN, bytes, cudaMemcpyHostToDevice);

    size_t size = 2 * TILE_WIDTH * TILE_WIDTH * sizeof(float);
    dim3 dimBlock(TILE_WIDTH, TILE_WIDTH);
    dim3 dimGrid(Width / TILE_WIDTH, Width / TILE_WIDTH);
    MatrixMulKernel<<<dimGrid, dimBlock, size>>>(M, N, P, Width);
    cudaMemcpy(hP, P, bytes, cudaMemcpyDeviceToHost);

    int wrong = 0;
    for (int row = 0; row < Width; ++row)
        for (int col = 0; col < Width; ++col) {
            float sum = 0;
            for (int k = 0; k < Width; ++k) sum += hM[row * Width + k] * hN[k * Width + col];
            wrong += hP[row * Width + col] != sum;
        }
    printf("%zu bytes of shared memory, P[0] %.0f, wrong %d\n", size, hP[0], wrong);
    cudaFree(M);
    cudaFree(N);
    cudaFree(P);
    return wrong != 0;
}
