// The six kernels that every executor is measured on, at full size, with host code that checks all of their results.
// Prints one line a kernel: name, milliseconds (median of five after a warm-up), ok or the number of wrong elements.
//
// The clock is the host's, around a launch and the wait for its end: on a virtual GPU an event would tell modelled
// time. With -DPROCESSOR_TIME it is the processor's, for a machine that others use. All inputs are small integers, so
// every sum is exact in float and results are compared for equality.
#include <stdio.h>
#include <stdlib.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <vector>

// Ends the program at the first call that fails.
void end_unless_success(cudaError_t status, const char* call, int line) {
    if (status == cudaSuccess) return;
    fprintf(stderr, "line %d: %s gave %s\n", line, call, cudaGetErrorName(status));
    exit(1);
}
#define CHECK(call) end_unless_success(call, #call, __LINE__)

constexpr int vector_size = 1 << 24;
constexpr int product_size = 512;
constexpr int transpose_size = 2048;
constexpr int tile = 16;
constexpr int sum_block = 256;
// The kernels below count on it; matmul.cu, transpose.cu and reduction.cu have them for any size.
static_assert(product_size % tile == 0 && transpose_size % tile == 0 && vector_size % sum_block == 0);

__global__ void vector_add(const float* a, const float* b, float* c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}

__global__ void matmul_naive(const float* a, const float* b, float* c, int n) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= n || column >= n) return;
    float sum = 0;
    for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + column];
    c[row * n + column] = sum;
}

__global__ void matmul_tiled(const float* a, const float* b, float* c, int n) {
    __shared__ float a_tile[tile][tile];
    __shared__ float b_tile[tile][tile];
    int x = threadIdx.x, y = threadIdx.y;
    int column = blockIdx.x * tile + x;
    int row = blockIdx.y * tile + y;
    float sum = 0;
    for (int step = 0; step < n / tile; ++step) {
        a_tile[y][x] = a[row * n + step * tile + x];
        b_tile[y][x] = b[(step * tile + y) * n + column];
        __syncthreads();
        for (int k = 0; k < tile; ++k) sum += a_tile[y][k] * b_tile[k][x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}

__global__ void transpose_naive(float* out, const float* in, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) out[x * height + y] = in[y * width + x];
}

// Blocks that are neighbours in a row of the grid work along a diagonal of the matrix. The grid must be square.
__global__ void transpose_diagonal(float* out, const float* in, int width, int height) {
    int block_y = blockIdx.x;
    int block_x = (blockIdx.x + blockIdx.y) % gridDim.x;
    int x = block_x * blockDim.x + threadIdx.x;
    int y = block_y * blockDim.y + threadIdx.y;
    if (x < width && y < height) out[x * height + y] = in[y * width + x];
}

__global__ void block_sum(const float* in, float* out, int n) {
    __shared__ float partial[sum_block];
    int t = threadIdx.x;
    int i = blockIdx.x * blockDim.x + t;
    partial[t] = i < n ? in[i] : 0.0f;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (t < half) partial[t] += partial[t + half];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = partial[0];
}

template <class Launch>
double median_ms(Launch launch) {
    auto now = [] {
#ifdef PROCESSOR_TIME
        return 1e3 * double(std::clock()) / CLOCKS_PER_SEC;
#else
        return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count();
#endif
    };
    std::vector<double> times;
    for (int round = 0; round < 6; ++round) {
        const double start = now();
        launch();
        CHECK(cudaGetLastError());
        CHECK(cudaDeviceSynchronize());
        if (round > 0) times.push_back(now() - start);
    }
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
}

int failures = 0;

void report(const char* name, double ms, int wrong) {
    failures += wrong != 0;
    if (wrong == 0)
        printf("%-18s %10.3f ms  ok\n", name, ms);
    else
        printf("%-18s %10.3f ms  %d wrong\n", name, ms, wrong);
    fflush(stdout);
}

float* device_array(size_t elements) {
    float* pointer = nullptr;
    CHECK(cudaMalloc(&pointer, elements * sizeof(float)));
    return pointer;
}

void bench_vector_add() {
    std::vector<float> a(vector_size), b(vector_size), c(vector_size);
    for (int i = 0; i < vector_size; ++i) {
        a[i] = float(i % 1021);
        b[i] = float(i % 509);
    }
    const size_t bytes = a.size() * sizeof(float);
    float *da = device_array(a.size()), *db = device_array(a.size()), *dc = device_array(a.size());
    CHECK(cudaMemcpy(da, a.data(), bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(db, b.data(), bytes, cudaMemcpyHostToDevice));
    double ms = median_ms([&] { vector_add<<<(vector_size + 255) / 256, 256>>>(da, db, dc, vector_size); });
    CHECK(cudaMemcpy(c.data(), dc, bytes, cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (int i = 0; i < vector_size; ++i) wrong += c[i] != a[i] + b[i];
    report("vector_add", ms, wrong);
    CHECK(cudaFree(da));
    CHECK(cudaFree(db));
    CHECK(cudaFree(dc));
}

void bench_products() {
    const int n = product_size;
    const size_t bytes = size_t(n) * n * sizeof(float);
    std::vector<float> a(n * n), b(n * n), c(n * n), expected(n * n, 0.0f);
    for (int i = 0; i < n * n; ++i) {
        a[i] = float(i % 7);
        b[i] = float(i % 11);
    }
    for (int row = 0; row < n; ++row)
        for (int k = 0; k < n; ++k) {
            const float factor = a[row * n + k];
            const float* from = &b[k * n];
            float* to = &expected[row * n];
            for (int column = 0; column < n; ++column) to[column] += factor * from[column];
        }
    float *da = device_array(a.size()), *db = device_array(a.size()), *dc = device_array(a.size());
    CHECK(cudaMemcpy(da, a.data(), bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(db, b.data(), bytes, cudaMemcpyHostToDevice));
    const dim3 block(tile, tile), grid(n / tile, n / tile);
    auto measure = [&](const char* name, auto kernel) {
        CHECK(cudaMemset(dc, 0, bytes));
        double ms = median_ms([&] { kernel<<<grid, block>>>(da, db, dc, n); });
        CHECK(cudaMemcpy(c.data(), dc, bytes, cudaMemcpyDeviceToHost));
        int wrong = 0;
        for (int i = 0; i < n * n; ++i) wrong += c[i] != expected[i];
        report(name, ms, wrong);
    };
    measure("matmul_naive", matmul_naive);
    measure("matmul_tiled", matmul_tiled);
    CHECK(cudaFree(da));
    CHECK(cudaFree(db));
    CHECK(cudaFree(dc));
}

void bench_transposes() {
    const int n = transpose_size;
    const size_t bytes = size_t(n) * n * sizeof(float);
    std::vector<float> in(n * n), out(n * n);
    for (int i = 0; i < n * n; ++i) in[i] = float(i);
    float *din = device_array(in.size()), *dout = device_array(in.size());
    CHECK(cudaMemcpy(din, in.data(), bytes, cudaMemcpyHostToDevice));
    const dim3 block(tile, tile), grid(n / tile, n / tile);
    auto measure = [&](const char* name, auto kernel) {
        CHECK(cudaMemset(dout, 0, bytes));
        double ms = median_ms([&] { kernel<<<grid, block>>>(dout, din, n, n); });
        CHECK(cudaMemcpy(out.data(), dout, bytes, cudaMemcpyDeviceToHost));
        int wrong = 0;
        for (int y = 0; y < n; ++y)
            for (int x = 0; x < n; ++x) wrong += out[x * n + y] != in[y * n + x];
        report(name, ms, wrong);
    };
    measure("transpose_naive", transpose_naive);
    measure("transpose_diagonal", transpose_diagonal);
    CHECK(cudaFree(din));
    CHECK(cudaFree(dout));
}

void bench_block_sum() {
    std::vector<float> in(vector_size), out(vector_size / sum_block);
    for (int i = 0; i < vector_size; ++i) in[i] = float(i % 1021);
    float *din = device_array(in.size()), *dout = device_array(out.size());
    CHECK(cudaMemcpy(din, in.data(), in.size() * sizeof(float), cudaMemcpyHostToDevice));
    double ms = median_ms([&] { block_sum<<<vector_size / sum_block, sum_block>>>(din, dout, vector_size); });
    CHECK(cudaMemcpy(out.data(), dout, out.size() * sizeof(float), cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (size_t b = 0; b < out.size(); ++b) {
        float sum = 0;
        for (int t = 0; t < sum_block; ++t) sum += in[b * sum_block + t];
        wrong += out[b] != sum;
    }
    report("block_sum", ms, wrong);
    CHECK(cudaFree(din));
    CHECK(cudaFree(dout));
}

int main() {
    int widest_grid;
    CHECK(cudaDeviceGetAttribute(&widest_grid, cudaDevAttrMaxGridDimX, 0));
    if (widest_grid < vector_size / sum_block) {  // compute capability 1.x and 2.x
        printf("this device takes grids of %d blocks, too few for the full size: nothing was measured\n", widest_grid);
        return 0;
    }
    bench_vector_add();
    bench_products();
    bench_transposes();
    bench_block_sum();
    return failures != 0;
}
