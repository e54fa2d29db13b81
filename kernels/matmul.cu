// Matrix product C = A B of row-major matrices: `rows` x `inner` times `inner` x `columns`.
#include <stdio.h>
#include <stdlib.h>

#include <vector>

// Ends the program at the first call that fails.
void end_unless_success(cudaError_t status, const char* call, int line) {
    if (status == cudaSuccess) return;
    fprintf(stderr, "line %d: %s gave %s\n", line, call, cudaGetErrorName(status));
    exit(1);
}
#define CHECK(call) end_unless_success(call, #call, __LINE__)

constexpr int tile = 16;

// Each element of A is read by `columns` threads and each of B by `rows`, all from global memory.
__global__ void matmul_naive(const float* a, const float* b, float* c, int rows, int inner, int columns) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= rows || column >= columns) return;
    float sum = 0;
    for (int k = 0; k < inner; ++k) sum += a[row * inner + k] * b[k * columns + column];
    c[row * columns + column] = sum;
}

// A block brings one tile of A and one of B at a time into shared memory: global reads fall by the factor `tile`.
__global__ void matmul_tiled(const float* a, const float* b, float* c, int rows, int inner, int columns) {
    __shared__ float a_tile[tile][tile];
    __shared__ float b_tile[tile][tile];
    int x = threadIdx.x, y = threadIdx.y;
    int column = blockIdx.x * tile + x;
    int row = blockIdx.y * tile + y;
    float sum = 0;
    for (int k0 = 0; k0 < inner; k0 += tile) {
        // Outside the matrices the tiles hold zeros, so that every thread takes part in every barrier.
        a_tile[y][x] = row < rows && k0 + x < inner ? a[row * inner + k0 + x] : 0.0f;
        b_tile[y][x] = k0 + y < inner && column < columns ? b[(k0 + y) * columns + column] : 0.0f;
        __syncthreads();  // both tiles are complete
        for (int k = 0; k < tile; ++k) sum += a_tile[y][k] * b_tile[k][x];
        __syncthreads();  // nobody reads them any more
    }
    if (row < rows && column < columns) c[row * columns + column] = sum;
}

int main() {
    const int rows = 50, inner = 70, columns = 90;
    std::vector<float> a(rows * inner), b(inner * columns), c(rows * columns), expected(rows * columns);
    for (size_t i = 0; i < a.size(); ++i) a[i] = float(i % 5);
    for (size_t i = 0; i < b.size(); ++i) b[i] = float(i % 3);
    for (int row = 0; row < rows; ++row)
        for (int column = 0; column < columns; ++column)
            for (int k = 0; k < inner; ++k)
                expected[row * columns + column] += a[row * inner + k] * b[k * columns + column];

    float *da, *db, *dc;
    CHECK(cudaMalloc(&da, a.size() * sizeof(float)));
    CHECK(cudaMalloc(&db, b.size() * sizeof(float)));
    CHECK(cudaMalloc(&dc, c.size() * sizeof(float)));
    CHECK(cudaMemcpy(da, a.data(), a.size() * sizeof(float), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(db, b.data(), b.size() * sizeof(float), cudaMemcpyHostToDevice));

    int failures = 0;
    auto check = [&](const char* name, auto kernel) {
        CHECK(cudaMemset(dc, 0, c.size() * sizeof(float)));
        kernel<<<dim3((columns + tile - 1) / tile, (rows + tile - 1) / tile), dim3(tile, tile)>>>(da, db, dc, rows,
                                                                                                  inner, columns);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpy(c.data(), dc, c.size() * sizeof(float), cudaMemcpyDeviceToHost));
        int wrong = 0;
        for (size_t i = 0; i < c.size(); ++i) wrong += c[i] != expected[i];
        printf("%s: %d wrong\n", name, wrong);
        failures += wrong;
    };
    check("matmul_naive", matmul_naive);
    check("matmul_tiled", matmul_tiled);
    CHECK(cudaFree(da));
    CHECK(cudaFree(db));
    CHECK(cudaFree(dc));
    return failures != 0;
}
