// The six kernels of kernels/bench.cu as plain C++ on the host's cores: blocks are spread over threads, and inside a
// block data moves as it does in the kernel. It shows what the same work costs without a GPU's programming model.
#include "workload.h"

using namespace workload;

namespace {

void vector_add(const float* a, const float* b, float* c, int n) {
#pragma omp parallel for schedule(static)
    for (int i = 0; i < n; ++i) c[i] = a[i] + b[i];
}

// A row of a block is one short vector, as half a warp is in the kernel.
void matmul_naive(const float* a, const float* b, float* c, int n) {
#pragma omp parallel for collapse(2) schedule(static)
    for (int block_y = 0; block_y < n; block_y += tile)
        for (int block_x = 0; block_x < n; block_x += tile)
            for (int row = block_y; row < block_y + tile; ++row) {
                float sum[tile] = {};
                for (int k = 0; k < n; ++k)
                    for (int x = 0; x < tile; ++x) sum[x] += a[row * n + k] * b[k * n + block_x + x];
                for (int x = 0; x < tile; ++x) c[row * n + block_x + x] = sum[x];
            }
}

void matmul_tiled(const float* a, const float* b, float* c, int n) {
#pragma omp parallel for collapse(2) schedule(static)
    for (int block_y = 0; block_y < n; block_y += tile)
        for (int block_x = 0; block_x < n; block_x += tile) {
            float a_tile[tile][tile], b_tile[tile][tile], sum[tile][tile] = {};
            for (int step = 0; step < n; step += tile) {
                for (int y = 0; y < tile; ++y)
                    for (int x = 0; x < tile; ++x) {
                        a_tile[y][x] = a[(block_y + y) * n + step + x];
                        b_tile[y][x] = b[(step + y) * n + block_x + x];
                    }
                for (int y = 0; y < tile; ++y) {
                    float row[tile];
                    for (int x = 0; x < tile; ++x) row[x] = sum[y][x];
                    for (int k = 0; k < tile; ++k)
                        for (int x = 0; x < tile; ++x) row[x] += a_tile[y][k] * b_tile[k][x];
                    for (int x = 0; x < tile; ++x) sum[y][x] = row[x];
                }
            }
            for (int y = 0; y < tile; ++y)
                for (int x = 0; x < tile; ++x) c[(block_y + y) * n + block_x + x] = sum[y][x];
        }
}

void transpose_block(float* out, const float* in, int n, int block_x, int block_y) {
    for (int y = block_y * tile; y < (block_y + 1) * tile; ++y)
        for (int x = block_x * tile; x < (block_x + 1) * tile; ++x) out[x * n + y] = in[y * n + x];
}

void transpose_naive(float* out, const float* in, int n) {
    const int grid = n / tile;
#pragma omp parallel for collapse(2) schedule(static)
    for (int y = 0; y < grid; ++y)
        for (int x = 0; x < grid; ++x) transpose_block(out, in, n, x, y);
}

void transpose_diagonal(float* out, const float* in, int n) {
    const int grid = n / tile;
#pragma omp parallel for collapse(2) schedule(static)
    for (int y = 0; y < grid; ++y)
        for (int x = 0; x < grid; ++x) transpose_block(out, in, n, (x + y) % grid, x);
}

void block_sum(const float* in, float* out, int n) {
#pragma omp parallel for schedule(static)
    for (int block = 0; block < n / sum_block; ++block) {
        float partial[sum_block];
        for (int t = 0; t < sum_block; ++t) partial[t] = in[block * sum_block + t];
        for (int half = sum_block / 2; half > 0; half /= 2)
            for (int t = 0; t < half; ++t) partial[t] += partial[t + half];
        out[block] = partial[0];
    }
}

}  // namespace

int main() {
    bool good = true;
    {
        const Array a = counting(vector_size, 1021), b = counting(vector_size, 509);
        Array c(a.size());
        const double ms = median_ms([&] { vector_add(a.data(), b.data(), c.data(), vector_size); });
        good &= report("vector_add", ms, c, expected_sum(a, b));
    }
    {
        constexpr int n = product_size;
        const Array a = counting(n * n, 7), b = counting(n * n, 11), expected = expected_product(a, b);
        Array c(a.size());
        good &= report("matmul_naive", median_ms([&] { matmul_naive(a.data(), b.data(), c.data(), n); }), c, expected);
        std::fill(c.begin(), c.end(), 0.0f);
        good &= report("matmul_tiled", median_ms([&] { matmul_tiled(a.data(), b.data(), c.data(), n); }), c, expected);
    }
    {
        constexpr int n = transpose_size;
        const Array in = counting(n * n, n * n), expected = expected_transpose(in);
        Array out(in.size());
        good &= report("transpose_naive", median_ms([&] { transpose_naive(out.data(), in.data(), n); }), out, expected);
        std::fill(out.begin(), out.end(), 0.0f);
        const double ms = median_ms([&] { transpose_diagonal(out.data(), in.data(), n); });
        good &= report("transpose_diagonal", ms, out, expected);
    }
    {
        const Array in = counting(vector_size, 1021);
        Array out(in.size() / sum_block);
        const double ms = median_ms([&] { block_sum(in.data(), out.data(), vector_size); });
        good &= report("block_sum", ms, out, expected_block_sums(in));
    }
    return good ? 0 : 1;
}
