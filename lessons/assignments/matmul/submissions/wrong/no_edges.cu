// POINTS: 4
// FAILS: a product of matrices of any shape
// FAILS: the tile fits a device with 512 threads a block
// REPLY: The tiles at the edges are only partly filled. What do threads do if
// SAYS: error[oob-read]: 4-byte read
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

__global__ void multiply(const float* a, const float* b, float* c, int rows, int inner, int columns) {
    extern __shared__ float tiles[];
    const int tile = blockDim.x, x = threadIdx.x, y = threadIdx.y;
    float *of_a = tiles, *of_b = tiles + tile * tile;
    const int row = blockIdx.y * tile + y, column = blockIdx.x * tile + x;
    float sum = 0;
    for (int first = 0; first < inner; first += tile) {
        of_a[y * tile + x] = a[row * inner + first + x];
        of_b[y * tile + x] = b[(first + y) * columns + column];
        __syncthreads();
        for (int k = 0; k < tile; ++k) sum += of_a[y * tile + k] * of_b[k * tile + x];
        __syncthreads();
    }
    c[row * columns + column] = sum;
}

int main(int argc, char** argv) {
    const int rows = argc > 3 ? atoi(argv[1]) : 0, inner = argc > 3 ? atoi(argv[2]) : 0;
    const int columns = argc > 3 ? atoi(argv[3]) : 0;
    if (rows <= 0 || inner <= 0 || columns <= 0) {
        puts("bad sizes");
        return 0;
    }
    cudaDeviceProp limits;
    cudaGetDeviceProperties(&limits, 0);
    int tile = 32;
    while (tile > 8 && (tile * tile > limits.maxThreadsPerBlock || 2 * tile * tile * sizeof(float) > limits.sharedMemPerBlock))
        tile /= 2;

    std::vector<float> a(rows * inner), b(inner * columns), c(rows * columns);
    for (int i = 0; i < rows * inner; ++i) a[i] = i * 7 % 11 - 5;
    for (int i = 0; i < inner * columns; ++i) b[i] = i * 5 % 13 - 6;
    float *da, *db, *dc;
    cudaMalloc(&da, a.size() * sizeof(float));
    cudaMalloc(&db, b.size() * sizeof(float));
    cudaMalloc(&dc, c.size() * sizeof(float));
    cudaMemcpy(da, a.data(), a.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(db, b.data(), b.size() * sizeof(float), cudaMemcpyHostToDevice);
    const dim3 block(tile, tile), grid((columns + tile - 1) / tile, (rows + tile - 1) / tile);
    multiply<<<grid, block, 2 * tile * tile * sizeof(float)>>>(da, db, dc, rows, inner, columns);
    if (cudaGetLastError() != cudaSuccess) return 1;
    cudaMemcpy(c.data(), dc, c.size() * sizeof(float), cudaMemcpyDeviceToHost);
    double sum = 0;
    for (float value : c) sum += value;
    printf("sum %g\n%g %g %g %g %g\n", sum, c[0], c[1], c[2], c[3], c.back());
    cudaFree(da);
    cudaFree(db);
    cudaFree(dc);
    return 0;
}
