// Document 2: a tiled matrix product whose tiles Mds and Nds have a size that is fixed when the kernel is compiled. The
// text refers to a figure for the kernel; the reader wrote one around the two declarations. The full stop that the text
// prints after "16" is left out: see 2_tile_width_full_stop.cudash.
#include <stdio.h>
#include <stdlib.h>

#define TILE_WIDTH 16

__global__ void MatrixMulKernel(float *M, float *N, float *P, int Width) {
    __shared__ float Mds[TILE_WIDTH][TILE_WIDTH];
    __shared__ float Nds[TILE_WIDTH][TILE_WIDTH];

    int tx = threadIdx.x, ty = threadIdx.y;
    int Row = blockIdx.y * TILE_WIDTH + ty;
    int Col = blockIdx.x * TILE_WIDTH + tx;
    float Pvalue = 0;
    for (int ph = 0; ph < Width / TILE_WIDTH; ++ph) {
        Mds[ty][tx] = M[Row * Width + ph * TILE_WIDTH + tx];
        Nds[ty][tx] = N[(ph * TILE_WIDTH + ty) * Width + Col];
        __syncthreads();
        for (int k = 0; k < TILE_WIDTH; ++k) Pvalue += Mds[ty][k] * Nds[k][tx];
        __syncthreads();
    }
    P[Row * Width + Col] = Pvalue;
}

int main() {
    const int Width = 64;
    const size_t bytes = Width * Width * sizeof(float);
    float *hM = (float *)malloc(bytes), *hN = (float *)malloc(bytes), *hP = (float *)malloc(bytes);
    for (int i = 0; i < Width * Width; ++i) {
        hM[i] = float(i % 5);
        hN[i] = float(i % 7);
    }
    float *M, *N, *P;
    cudaMalloc(&M, bytes);
    cudaMalloc(&N, bytes);
    cudaMalloc(&P, bytes);
    cudaMemcpy(M, hM, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(N, hN, bytes, cudaMemcpyHostToDevice);

    dim3 dimBlock(TILE_WIDTH, TILE_WIDTH);
    dim3 dimGrid(Width / TILE_WIDTH, Width / TILE_WIDTH);
    MatrixMulKernel<<<dimGrid, dimBlock>>>(M, N, P, Width);
    cudaMemcpy(hP, P, bytes, cudaMemcpyDeviceToHost);

    // All values are small integers: float is exact, so the host's sum must be equal and not only near.
    int wrong = 0;
    for (int row = 0; row < Width; ++row)
        for (int col = 0; col < Width; ++col) {
            float sum = 0;
            for (int k = 0; k < Width; ++k) sum += hM[row * Width + k] * hN[k * Width + col];
            wrong += hP[row * Width + col] != sum;
        }
    printf("P[0] %.0f, P[last] %.0f, wrong %d\n", hP[0], hP[Width * Width - 1], wrong);

    cudaFree(M);
    cudaFree(N);
    cudaFree(P);
    free(hM);
    free(hN);
    free(hP);
    return wrong != 0;
}
