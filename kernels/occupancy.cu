// Occupancy, asked for at run time: how many blocks of a kernel are resident on a multiprocessor depends on the device
// and on the registers that the compiler gave it, so a program asks and does not compute.
//   tile   of a matrix product, its width an argument: the one that keeps the most threads resident
//   block  of a kernel without shared memory: the size that cudaOccupancyMaxPotentialBlockSize proposes
#include <stdio.h>
#include <stdlib.h>

#include <algorithm>
#include <vector>

// Ends the program at the first call that fails.
void end_unless_success(cudaError_t status, const char* call, int line) {
    if (status == cudaSuccess) return;
    fprintf(stderr, "line %d: %s gave %s\n", line, call, cudaGetErrorName(status));
    exit(1);
}
#define CHECK(call) end_unless_success(call, #call, __LINE__)

// Square matrices of any size. The tiles of A and B share the one dynamic array.
__global__ void product(const float* a, const float* b, float* c, int n, int tile) {
    extern __shared__ float tiles[];
    float *a_tile = tiles, *b_tile = tiles + tile * tile;
    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.y * tile + y, column = blockIdx.x * tile + x;
    float sum = 0;
    for (int k0 = 0; k0 < n; k0 += tile) {
        a_tile[y * tile + x] = row < n && k0 + x < n ? a[row * n + k0 + x] : 0.0f;
        b_tile[y * tile + x] = k0 + y < n && column < n ? b[(k0 + y) * n + column] : 0.0f;
        __syncthreads();  // both tiles are complete
        for (int k = 0; k < tile; ++k) sum += a_tile[y * tile + k] * b_tile[k * tile + x];
        __syncthreads();  // nobody reads them any more
    }
    if (row < n && column < n) c[row * n + column] = sum;
}

size_t shared_bytes(int tile) {
    return 2 * size_t(tile) * tile * sizeof(float);
}

// A block that the device can't run at all has no resident threads. Among equals the widest reads least.
int best_tile() {
    int best = 0, most_threads = 0;
    for (int tile : {4, 8, 16, 32}) {
        int blocks = 0;
        CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, product, tile * tile, shared_bytes(tile)));
        const int threads = blocks * tile * tile;
        if (threads >= most_threads) best = tile, most_threads = threads;
    }
    return best;
}

// A grid of any size does: each thread takes every so many elements.
__global__ void square_all(int* data, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) data[i] *= data[i];
}

int check_product(int tile) {
    const int n = 100;
    std::vector<float> a(n * n), b(n * n), c(n * n), expected(n * n);
    for (int i = 0; i < n * n; ++i) {
        a[i] = float(i % 5);
        b[i] = float(i % 3);
    }
    for (int row = 0; row < n; ++row)
        for (int column = 0; column < n; ++column)
            for (int k = 0; k < n; ++k) expected[row * n + column] += a[row * n + k] * b[k * n + column];
    const size_t bytes = a.size() * sizeof(float);
    float *da, *db, *dc;
    CHECK(cudaMalloc(&da, bytes));
    CHECK(cudaMalloc(&db, bytes));
    CHECK(cudaMalloc(&dc, bytes));
    CHECK(cudaMemcpy(da, a.data(), bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(db, b.data(), bytes, cudaMemcpyHostToDevice));
    const int blocks = (n + tile - 1) / tile;
    product<<<dim3(blocks, blocks), dim3(tile, tile), shared_bytes(tile)>>>(da, db, dc, n, tile);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(c.data(), dc, bytes, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(da));
    CHECK(cudaFree(db));
    CHECK(cudaFree(dc));
    int wrong = 0;
    for (int i = 0; i < n * n; ++i) wrong += c[i] != expected[i];
    printf("product, the best tile for this device: %d wrong\n", wrong);
    return wrong;
}

int check_squares() {
    // `grid` blocks of `block` threads fill the device; fewer do where there is less work.
    int grid, block;
    CHECK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, square_all, 0, 0));
    const int n = 10000;
    std::vector<int> data(n);
    for (int i = 0; i < n; ++i) data[i] = i;
    int* device;
    CHECK(cudaMalloc(&device, n * sizeof(int)));
    CHECK(cudaMemcpy(device, data.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    square_all<<<std::min(grid, (n + block - 1) / block), block>>>(device, n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(data.data(), device, n * sizeof(int), cudaMemcpyDeviceToHost));
    CHECK(cudaFree(device));
    int wrong = 0;
    for (int i = 0; i < n; ++i) wrong += data[i] != i * i;
    printf("square_all, the proposed block: %d wrong\n", wrong);
    return wrong;
}

int main() {
    const int wrong = check_product(best_tile()) + check_squares();
    return wrong != 0;
}
